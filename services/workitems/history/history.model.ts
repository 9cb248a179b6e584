import { HistoryName } from '@worktrack/contracts/work-items/history-event';
import { date, mixed, number, optional, part, text } from '@worktrack/runtime/database/documents/fields';
import { partSchemaOf, type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const actorFields = {
  userId: text(),
  keyId: text(),
  agent: optional(text()),
  model: optional(text()),
  run: optional(text()),
};

const fields = {
  _id: text(),
  organizationId: text(),
  workItemId: text(),
  /** The item's revision after the write that made the event: orders an item's history without a clock. */
  revision: number(),
  eventType: text<HistoryName>(HistoryName.options),
  data: mixed<Record<string, unknown>>(),
  actor: part(partSchemaOf(actorFields)),
  createdAt: date(),
  /** A comment that an agent made with the token of its lease: when it had claimed. */
  ofClaim: optional(date()),
};

export type HistoryRecord = Stored<typeof fields>;

const historySchema = schemaOf(fields, { collection: 'work_item_history', minimize: false });
historySchema.index({ organizationId: 1, workItemId: 1, revision: 1, _id: 1 });
// The latest of a kind, such as comments, among thousands of moves.
historySchema.index({ organizationId: 1, workItemId: 1, eventType: 1, revision: 1, _id: 1 });
// A deleted item is found by its task ID here and nowhere else.
historySchema.index({ organizationId: 1, 'data.taskId': 1 }, { partialFilterExpression: { eventType: 'deleted' } });

export const HistoryModel = mongoose.model('HistoryEvent', historySchema);
