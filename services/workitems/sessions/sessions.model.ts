import mongoose from 'mongoose';
import type { Used } from '../items/lease.ts';

/** Costs are integers, which add up exactly, up to nine billion dollars. Sessions of earlier versions lack what they did not know. */
export interface SessionDocument extends Used {
  _id: string;
  organizationId: string;
  projectId: string;
  /** The item that was worked on; kept when the item is deleted, like its task ID. */
  workItemId: string;
  taskId: string;
  /** The item towards whose sums it counts: initially the item itself. When an item is deleted, its parent takes over its cost. */
  countedFor: string;
  aiModel: string;
  provider: string;
  durationMs: number | null;
  sessionType: string;
  /** Whose lease, and which API key, it was recorded under. Absent in sessions from earlier versions. */
  agent?: string | null;
  /** The lease's, and how often the agent was heard of under it. */
  run?: string | undefined;
  heartbeats?: number | undefined;
  keyId?: string;
  createdAt: Date;
}

const sessionSchema = new mongoose.Schema<SessionDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    projectId: { type: String, required: true },
    workItemId: { type: String, required: true },
    taskId: { type: String, required: true },
    countedFor: { type: String, required: true },
    aiModel: { type: String, required: true },
    provider: { type: String, required: true },
    totalTokens: { type: Number, required: true },
    inputTokens: { type: Number, default: null },
    outputTokens: { type: Number, default: null },
    cachedInputTokens: { type: Number, default: null },
    cacheWriteTokens: { type: Number, default: null },
    durationMs: { type: Number, default: null },
    sessionType: { type: String, required: true },
    agent: { type: String, default: null },
    run: String,
    heartbeats: Number,
    keyId: String,
    costMicrodollars: { type: Number, default: null },
    costBasis: String,
    createdAt: { type: Date, required: true },
  },
  { collection: 'ai_sessions', versionKey: false },
);
sessionSchema.index({ organizationId: 1, countedFor: 1, createdAt: 1, _id: 1 });
sessionSchema.index({ organizationId: 1, projectId: 1, createdAt: 1 });
sessionSchema.index({ organizationId: 1, createdAt: 1 });

export const SessionModel = mongoose.model('AiSession', sessionSchema);
