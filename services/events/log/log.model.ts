import type { LoggedEvent } from '@worktrack/contracts/events/event';
import { date, flag, nullable, number, optional, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import { eventFields } from '@worktrack/runtime/database/outbox/event-fields';
import mongoose from 'mongoose';

/** An event in its place. By its id the database itself refuses a duplicate. */
const logFields = {
  ...eventFields,
  type: text<LoggedEvent['type']>(),
  seq: number(),
  /** What its retention counts from. In the order of `seq` within an organization, so that the log is shortened from its beginning. */
  loggedAt: date(),
};

export type LogRecord = Stored<typeof logFields>;

const logSchema = schemaOf(logFields, { collection: 'log', minimize: false });
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
