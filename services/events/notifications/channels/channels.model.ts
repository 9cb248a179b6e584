import mongoose from 'mongoose';
import type { Channel } from '../notifications.model.ts';

/** When a channel of a user has something to tell, and who tells it. */
export interface ChannelRecord {
  /** The user and the channel; of push its place, whoever uses the browser. */
  _id: string;
  organizationId: string;
  userId: string;
  channel: Channel;
  /** Of push. */
  push?: PushRecord;
  /** Absent: there is nothing to tell. */
  dueAt?: Date;
  /** The process that tells, until then; no other does so meanwhile. */
  holder: string;
  heldUntil: Date;
  /** Incremented with each notification, so that nobody relies on having just found nothing. */
  wakes: number;
  /** Failed since the last success. */
  attempts: number;
  /** The last attempt failed: it waits among others of its kind, not before those that are well. */
  unwell: boolean;
  notBefore: Date;
  /** When it last told something. */
  toldAt?: Date;
}

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

const text = { type: String, required: true } as const;
const date = { type: Date, required: true } as const;

const channelSchema = new mongoose.Schema<ChannelRecord>(
  {
    ...{ _id: text, organizationId: text, userId: text, channel: text, holder: { type: String, default: '' } },
    ...{ push: mongoose.Schema.Types.Mixed, toldAt: Date },
    ...{ dueAt: Date, heldUntil: date, notBefore: date, unwell: { type: Boolean, required: true } },
    ...{ wakes: { type: Number, required: true }, attempts: { type: Number, required: true } },
  },
  { collection: 'notification_channels', versionKey: false },
);
// What processes look for, across all organizations: what is due.
channelSchema.index({ channel: 1, unwell: 1, dueAt: 1, heldUntil: 1 });
channelSchema.index({ organizationId: 1, userId: 1 });

export const ChannelModel = mongoose.model('NotificationChannel', channelSchema);
