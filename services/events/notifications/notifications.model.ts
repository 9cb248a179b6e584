import type { ChatFormat, MailTimes, NotificationKind, QuietHours } from '@worktrack/contracts/events/notifications';
import type { Actor } from '@worktrack/contracts/people/actor';
import type { Language } from '@worktrack/contracts/people/languages';
import {
  date,
  flag,
  mixed,
  nullable,
  number,
  optional,
  text,
  texts,
} from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** Where users are told besides the console. */
export const CHANNELS = ['mail', 'webhook', 'push'] as const;
export type Channel = (typeof CHANNELS)[number];
/** Each browser is told by itself: one that fails keeps no other waiting, nor has any told twice. */
export type Place = Exclude<Channel, 'push'> | `push/${string}`;

const RETENTION_SECONDS = 90 * 24 * 60 * 60;

/** What a user was told of one write to one item. */
const notificationFields = {
  /** Always the same for the same: of its time and a hash of the rest (UUIDv7). */
  _id: text(),
  organizationId: text(),
  userId: text(),
  workItemId: text(),
  /** The item's, after the write. */
  revision: number(),
  kind: text<NotificationKind>(),
  at: date(),
  actor: nullable(mixed<Actor>()),
  projectId: text(),
  taskId: text(),
  /** The item's, at that time. */
  title: optional(text()),
  text: optional(text()),
  isRead: flag(),
  /** Where it has still to be told; absent once it is read. */
  untold: optional(texts<Place>()),
};

export type NotificationRecord = Stored<typeof notificationFields>;

const notificationSchema = schemaOf(notificationFields, { collection: 'notifications' });
notificationSchema.index({ organizationId: 1, userId: 1, at: -1, _id: -1 });
notificationSchema.index({ organizationId: 1, userId: 1, isRead: 1, at: -1, _id: -1 });
notificationSchema.index({ organizationId: 1, userId: 1, isRead: 1, kind: 1, at: 1, _id: 1 });
/** What a channel has still to tell a user. */
notificationSchema.index({ organizationId: 1, userId: 1, untold: 1, at: 1, _id: 1 });
/** Told once, whichever events of the write come first, and however often. */
notificationSchema.index({ organizationId: 1, workItemId: 1, userId: 1, revision: 1 }, { unique: true });
notificationSchema.index({ at: 1 }, { expireAfterSeconds: RETENTION_SECONDS });

const watchFields = {
  /** The item and the user. */
  _id: text(),
  organizationId: text(),
  workItemId: text(),
  userId: text(),
};

const watchSchema = schemaOf(watchFields, { collection: 'watches' });
watchSchema.index({ organizationId: 1, workItemId: 1, userId: 1 });
watchSchema.index({ organizationId: 1, userId: 1 });

interface OfChannel {
  /** What came before is not told there. */
  since: Date;
  /** What it tells of: the projects of the caller who set it, and still the user's. null: all. */
  projects: string[] | null;
}

/** What a user has said otherwise than the default. */
const settingsFields = {
  /** The user. */
  _id: text(),
  organizationId: text(),
  kinds: mixed<Partial<Record<NotificationKind, boolean>>>(),
  /** In which they are told elsewhere. */
  language: optional(text<Language>()),
  mail: optional(nullable(mixed<OfChannel & { times: Exclude<MailTimes, 'off'>; address: string }>())),
  webhook: optional(nullable(mixed<OfChannel & { url: string; format: ChatFormat; problem: string | null }>())),
  quietHours: optional(nullable(mixed<QuietHours>())),
};

export type SettingsRecord = Stored<typeof settingsFields>;

const settingsSchema = schemaOf(settingsFields, { collection: 'notification_settings', minimize: false });

export const NotificationModel = mongoose.model('Notification', notificationSchema);
export const WatchModel = mongoose.model('Watch', watchSchema);
export const SettingsModel = mongoose.model('NotificationSettings', settingsSchema);
