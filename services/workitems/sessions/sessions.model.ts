import type { CostBasis } from '@worktrack/contracts/work-items/costs/sessions';
import { date, nullable, number, optional, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** Costs are integers, which add up exactly, up to nine billion dollars. Sessions of earlier versions lack what they did not know. */
const fields = {
  _id: text(),
  organizationId: text(),
  projectId: text(),
  /** The item that was worked on; kept when the item is deleted, like its task ID. */
  workItemId: text(),
  taskId: text(),
  /** The item towards whose sums it counts: initially the item itself. When an item is deleted, its parent takes over its cost. */
  countedFor: text(),
  aiModel: text(),
  provider: text(),
  /** What was used: see `Used`. */
  totalTokens: number(),
  inputTokens: nullable(number()),
  outputTokens: nullable(number()),
  cachedInputTokens: nullable(number()),
  cacheWriteTokens: nullable(number()),
  durationMs: nullable(number()),
  sessionType: text(),
  /** Whose lease, and which API key, it was recorded under. Absent in sessions from earlier versions. */
  agent: nullable(optional(text())),
  /** The lease's, and how often the agent was heard of under it. */
  run: optional(text()),
  heartbeats: optional(number()),
  keyId: optional(text()),
  costMicrodollars: nullable(number()),
  costBasis: optional(text<CostBasis>()),
  createdAt: date(),
};

export type SessionDocument = Stored<typeof fields>;

const sessionSchema = schemaOf(fields, { collection: 'ai_sessions' });
sessionSchema.index({ organizationId: 1, countedFor: 1, createdAt: 1, _id: 1 });
sessionSchema.index({ organizationId: 1, projectId: 1, createdAt: 1 });
sessionSchema.index({ organizationId: 1, createdAt: 1 });

export const SessionModel = mongoose.model('AiSession', sessionSchema);
