import { date, flag, mixed, number, optional, text, withDefault } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';
import type { Channel } from '../notifications.model.ts';

/** A browser that is told: what it gave for it (RFC 8030, 8291). */
export interface PushRecord {
  id: string;
  endpoint: string;
  keys: { p256dh: string; auth: string };
  /** By which it knows us: messages that another key signs are refused. */
  publicKey: string;
  browser: string | null;
  /** What came before is not told there. */
  since: Date;
  /** Of what it is told: the projects of the caller who subscribed it, and still the user's. null: all. */
  projects: string[] | null;
}

/** When a channel of a user has something to tell, and who tells it. */
const fields = {
  /** The user and the channel; of push its place, whoever uses the browser. */
  _id: text(),
  organizationId: text(),
  userId: text(),
  channel: text<Channel>(),
  /** Of push. */
  push: optional(mixed<PushRecord>()),
  /** Absent: there is nothing to tell. */
  dueAt: optional(date()),
  /** The process that tells, until then; no other does so meanwhile. */
  holder: withDefault(text(), ''),
  heldUntil: date(),
  /** Incremented with each notification, so that nobody relies on having just found nothing. */
  wakes: number(),
  /** Failed since the last success. */
  attempts: number(),
  /** The last attempt failed: it waits among others of its kind, not before those that are well. */
  unwell: flag(),
  notBefore: date(),
  /** When it last told something. */
  toldAt: optional(date()),
};

export type ChannelRecord = Stored<typeof fields>;

const channelSchema = schemaOf(fields, { collection: 'notification_channels' });
// What processes look for, across all organizations: what is due.
channelSchema.index({ channel: 1, unwell: 1, dueAt: 1, heldUntil: 1 });
channelSchema.index({ organizationId: 1, userId: 1 });

export const ChannelModel = mongoose.model('NotificationChannel', channelSchema);
