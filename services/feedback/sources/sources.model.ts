import type { RateLimit, Source } from '@worktrack/contracts/feedback/records';
import mongoose from 'mongoose';

export interface SourceDocument {
  _id: string;
  organizationId: string;
  publicKey: string;
  type: Source['type'];
  name: string;
  allowedDomains: string[];
  requireCaptcha: boolean;
  enabled: boolean;
  projectId?: string;
  rateLimit?: RateLimit;
  retentionDays?: number;
  /** What was created before is already erased: the daily pass starts here. */
  erasedBefore?: Date;
  /** Incremented by each change: orders the source's events. Absent in records stored by earlier versions. */
  revision?: number;
  createdAt: Date;
  updatedAt: Date;
}

const rateLimitSchema = new mongoose.Schema<RateLimit>(
  {
    perIp: { type: Number, required: true },
    perSource: { type: Number, required: true },
    windowSeconds: { type: Number, required: true },
  },
  { _id: false },
);

const sourceSchema = new mongoose.Schema<SourceDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    publicKey: { type: String, required: true },
    type: { type: String, required: true },
    name: { type: String, required: true },
    allowedDomains: { type: [String], required: true },
    requireCaptcha: { type: Boolean, required: true },
    enabled: { type: Boolean, required: true },
    projectId: String,
    rateLimit: { type: rateLimitSchema },
    retentionDays: { type: Number },
    erasedBefore: { type: Date },
    revision: Number,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'sources', versionKey: false },
);
sourceSchema.index({ organizationId: 1, _id: 1 });
// The one query without an organization: a public key is all that a visitor has, and it determines the organization.
sourceSchema.index({ publicKey: 1 }, { unique: true });
// The daily pass over all that have a retention, across all organizations (retention.ts).
sourceSchema.index({ retentionDays: 1 }, { partialFilterExpression: { retentionDays: { $exists: true } } });

export const SourceModel = mongoose.model('Source', sourceSchema);
