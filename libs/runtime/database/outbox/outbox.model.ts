import mongoose from 'mongoose';
import { type Stored, schemaOf } from '../documents/schema.ts';
import { eventFields } from './event-fields.ts';

/** An event that has been made but not published yet. */
export type OutboxRecord = Stored<typeof eventFields>;

const outboxSchema = schemaOf(eventFields, { collection: 'outbox', minimize: false });

/** Which earlier events about a subject are outstanding. */
outboxSchema.index({ 'subject.id': 1, revision: 1 });

export const OutboxModel = mongoose.model('OutboxEvent', outboxSchema);
