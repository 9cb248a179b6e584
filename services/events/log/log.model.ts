import type { LoggedEvent } from '@worktrack/contracts/events/event';
import mongoose from 'mongoose';

/** An event in its place. */
export interface LogRecord extends Omit<LoggedEvent, 'id' | 'data'> {
  /** Of the event: what comes a second time is refused by the database itself. */
  _id: string;
  organizationId: string;
  /** As JSON: names of its fields are the clients'. */
  data: string;
  /** What its retention counts from. In the order of `seq` for an organization, so that the log is shortened at its beginning. */
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
// Two events never have one place, whatever their writers believe. What expires is the setting's (retention.repository.ts).
logSchema.index({ organizationId: 1, seq: 1 }, { unique: true });

export const LogModel = mongoose.model('LoggedEvent', logSchema);

/** Where the log of an organization ends. */
export interface HeadRecord {
  /** Of the organization. */
  _id: string;
  /** Of the last event that was logged. */
  seq: number;
  /** When that was, or later: time in the log does not go back, whatever the clocks of replicas say. */
  loggedAt: Date;
}

const headSchema = new mongoose.Schema<HeadRecord>(
  {
    _id: { type: String, required: true },
    seq: { type: Number, required: true },
    loggedAt: { type: Date, required: true },
  },
  { collection: 'heads', versionKey: false },
);

export const HeadModel = mongoose.model('LogHead', headSchema);
