import type { Actor } from '@worktrack/contracts/people/actor';
import { HistoryName } from '@worktrack/contracts/work-items/history-event';
import mongoose from 'mongoose';

export interface HistoryRecord {
  _id: string;
  organizationId: string;
  workItemId: string;
  /** The item's revision after the write that made the event: orders an item's history without a clock. */
  revision: number;
  eventType: HistoryName;
  data: Record<string, unknown>;
  actor: Actor;
  createdAt: Date;
  /** A comment that an agent made with the token of its lease: when it had claimed. */
  ofClaim?: Date | undefined;
  /** Its event is in the outbox, or has been. Versions without a log did not record this (past.repository.ts). */
  told?: true;
}

const historySchema = new mongoose.Schema<HistoryRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    workItemId: { type: String, required: true },
    revision: { type: Number, required: true },
    eventType: { type: String, enum: HistoryName.options, required: true },
    data: { type: mongoose.Schema.Types.Mixed, required: true },
    actor: {
      userId: { type: String, required: true },
      keyId: { type: String, required: true },
      agent: String,
      model: String,
      run: String,
    },
    createdAt: { type: Date, required: true },
    ofClaim: Date,
    told: Boolean,
  },
  { collection: 'work_item_history', versionKey: false, minimize: false },
);
historySchema.index({ organizationId: 1, workItemId: 1, revision: 1, _id: 1 });
// The latest of a kind, such as comments, among thousands of moves.
historySchema.index({ organizationId: 1, workItemId: 1, eventType: 1, revision: 1, _id: 1 });
// A deleted item is found by its task ID here and nowhere else.
historySchema.index({ organizationId: 1, 'data.taskId': 1 }, { partialFilterExpression: { eventType: 'deleted' } });

export const HistoryModel = mongoose.model('HistoryEvent', historySchema);
