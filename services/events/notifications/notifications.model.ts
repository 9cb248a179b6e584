import type { ChatFormat, MailTimes, NotificationKind, QuietHours } from '@worktrack/contracts/events/notifications';
import type { Actor } from '@worktrack/contracts/people/actor';
import type { Language } from '@worktrack/contracts/people/languages';
import mongoose from 'mongoose';

/** What a user was told of one write to one item. */
export interface NotificationRecord {
  /** Always the same for the same: of its time and a hash of the rest (UUIDv7). */
  _id: string;
  organizationId: string;
  userId: string;
  workItemId: string;
  /** The item's, after the write. */
  revision: number;
  kind: NotificationKind;
  at: Date;
  actor: Actor | null;
  projectId: string;
  taskId: string;
  /** The item's, at that time. */
  title?: string;
  text?: string;
  isRead: boolean;
  /** Where it has still to be told; absent once it is read. */
  untold?: Place[];
}

/** Where users are told besides the console. */
export const CHANNELS = ['mail', 'webhook', 'push'] as const;
export type Channel = (typeof CHANNELS)[number];
/** Each browser is told by itself: one that fails keeps no other waiting, nor has any told twice. */
export type Place = Exclude<Channel, 'push'> | `push/${string}`;

export interface WatchRecord {
  /** The item and the user. */
  _id: string;
  organizationId: string;
  workItemId: string;
  userId: string;
}

/** What a user has said otherwise than the default. */
export interface SettingsRecord {
  /** The user. */
  _id: string;
  organizationId: string;
  kinds: Partial<Record<NotificationKind, boolean>>;
  /** In which they are told elsewhere. */
  language?: Language;
  mail?: (OfChannel & { times: Exclude<MailTimes, 'off'>; address: string }) | null;
  webhook?: (OfChannel & { url: string; format: ChatFormat; problem: string | null }) | null;
  quietHours?: QuietHours | null;
}

interface OfChannel {
  /** What came before is not told there. */
  since: Date;
  /** What it tells of: the projects of the caller who set it, and still the user's. null: all. */
  projects: string[] | null;
}

const RETENTION_SECONDS = 90 * 24 * 60 * 60;
const text = { type: String, required: true } as const;

const notificationSchema = new mongoose.Schema<NotificationRecord>(
  {
    ...{ _id: text, organizationId: text, userId: text, workItemId: text, kind: text, projectId: text, taskId: text },
    revision: { type: Number, required: true },
    at: { type: Date, required: true },
    actor: { type: mongoose.Schema.Types.Mixed, default: null },
    ...{ title: String, text: String },
    isRead: { type: Boolean, required: true },
    untold: { type: [String], default: undefined },
  },
  { collection: 'notifications', versionKey: false },
);
notificationSchema.index({ organizationId: 1, userId: 1, at: -1, _id: -1 });
notificationSchema.index({ organizationId: 1, userId: 1, isRead: 1, at: -1, _id: -1 });
notificationSchema.index({ organizationId: 1, userId: 1, isRead: 1, kind: 1, at: 1, _id: 1 });
/** What a channel has still to tell a user. */
notificationSchema.index({ organizationId: 1, userId: 1, untold: 1, at: 1, _id: 1 });
/** Told once, whichever events of the write come first, and however often. */
notificationSchema.index({ organizationId: 1, workItemId: 1, userId: 1, revision: 1 }, { unique: true });
notificationSchema.index({ at: 1 }, { expireAfterSeconds: RETENTION_SECONDS });

const watchSchema = new mongoose.Schema<WatchRecord>(
  { _id: text, organizationId: text, workItemId: text, userId: text },
  { collection: 'watches', versionKey: false },
);
watchSchema.index({ organizationId: 1, workItemId: 1, userId: 1 });
watchSchema.index({ organizationId: 1, userId: 1 });

const settingsSchema = new mongoose.Schema<SettingsRecord>(
  {
    ...{ _id: text, organizationId: text, kinds: { type: mongoose.Schema.Types.Mixed, required: true } },
    ...{ language: String, mail: mongoose.Schema.Types.Mixed, webhook: mongoose.Schema.Types.Mixed },
    quietHours: mongoose.Schema.Types.Mixed,
  },
  { collection: 'notification_settings', versionKey: false, minimize: false },
);

export const NotificationModel = mongoose.model('Notification', notificationSchema);
export const WatchModel = mongoose.model('Watch', watchSchema);
export const SettingsModel = mongoose.model('NotificationSettings', settingsSchema);
