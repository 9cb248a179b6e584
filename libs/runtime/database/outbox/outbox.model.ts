import type { PublishedEvent } from '@worktrack/contracts/events/event';
import mongoose from 'mongoose';

/** An event that has been made but not published yet. */
export interface OutboxRecord extends Omit<PublishedEvent, 'id' | 'data'> {
  /** The event's. A UUIDv7: it puts the events of one process in the order in which they were made. */
  _id: string;
  /** As JSON: its field names are chosen by clients. */
  data: string;
}

const outboxSchema = new mongoose.Schema<OutboxRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    type: { type: String, required: true },
    at: { type: String, required: true },
    actor: { type: mongoose.Schema.Types.Mixed, default: null },
    projectId: String,
    subject: { type: mongoose.Schema.Types.Mixed, required: true },
    revision: { type: Number, required: true },
    data: { type: String, required: true },
  },
  { collection: 'outbox', versionKey: false, minimize: false },
);

/** Which earlier events about a subject are outstanding. */
outboxSchema.index({ 'subject.id': 1, revision: 1 });

export const OutboxModel = mongoose.model('OutboxEvent', outboxSchema);
