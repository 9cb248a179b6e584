import type { LoggedEvent } from '@worktrack/contracts/events/event';
import mongoose from 'mongoose';

/** An event of the log of the tests of webhooks. */
export interface TestLogRecord {
  _id: string;
  organizationId: string;
  seq: number;
  /** As JSON. */
  event: string;
}

const testLogSchema = new mongoose.Schema<TestLogRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    seq: { type: Number, required: true },
    event: { type: String, required: true },
  },
  { collection: 'testLog', versionKey: false },
);
testLogSchema.index({ organizationId: 1, seq: 1 }, { unique: true });

export const TestLogModel = mongoose.model('TestLog', testLogSchema);

export const eventOf = ({ event }: TestLogRecord): LoggedEvent => JSON.parse(event) as LoggedEvent;
