import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { date, flag, nullable, number, optional, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** An event in its place. */
export interface LogRecord extends Omit<LoggedEvent, 'id' | 'data'> {
  /** The event's: the database itself refuses a duplicate. */
  _id: string;
  organizationId: string;
  /** As JSON: its field names are chosen by clients. */
  data: string;
  /** What its retention counts from. In the order of `seq` within an organization, so that the log is shortened from its beginning. */
  loggedAt: Date;
}

const logSchema = new mongoose.Schema<LogRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    seq: { type: Number, required: true },
    type: { type: String, required: true },
    at: { type: String, required: true },
    actor: { type: mongoose.Schema.Types.Mixed, default: null },
    projectId: String,
    subject: { type: mongoose.Schema.Types.Mixed, required: true },
    revision: { type: Number, required: true },
    data: { type: String, required: true },
    loggedAt: { type: Date, required: true },
  },
  { collection: 'log', versionKey: false, minimize: false },
);
// Two events never share a place, whatever their writers believe. Expiry depends on a setting (retention.repository.ts).
logSchema.index({ organizationId: 1, seq: 1 }, { unique: true });

export const LogModel = mongoose.model('LoggedEvent', logSchema);

/** Where the log of an organization ends. */
const headFields = {
  /** The organization's. */
  _id: text(),
  /** The place of the last event logged. */
  seq: number(),
  /** When that was, or later: time in the log never goes backwards, whatever the replicas' clocks say. */
  loggedAt: date(),
  /** Every enabled webhook has its deliveries up to here; null or nothing: it has grown since that was last so. */
  isQueued: optional(nullable(flag<true>())),
  /** How often a webhook was set back to an earlier place. */
  setBacks: optional(number()),
};

export type HeadRecord = Stored<typeof headFields>;

const headSchema = schemaOf(headFields, { collection: 'heads' });
headSchema.index({ isQueued: 1, _id: 1 });

export const HeadModel = mongoose.model('LogHead', headSchema);
