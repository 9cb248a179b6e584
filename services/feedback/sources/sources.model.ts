import type { Source } from '@worktrack/contracts/feedback/records';
import { date, flag, number, optional, part, text, texts } from '@worktrack/runtime/database/documents/fields';
import { partSchemaOf, type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const rateLimitSchema = partSchemaOf({ perIp: number(), perSource: number(), windowSeconds: number() });

const fields = {
  _id: text(),
  organizationId: text(),
  publicKey: text(),
  type: text<Source['type']>(),
  name: text(),
  allowedDomains: texts(),
  requireCaptcha: flag(),
  enabled: flag(),
  projectId: optional(text()),
  rateLimit: optional(part(rateLimitSchema)),
  retentionDays: optional(number()),
  /** What was created before is already erased: the daily pass starts here. */
  erasedBefore: optional(date()),
  /** Incremented by each change: orders the source's events. Absent in records stored by earlier versions. */
  revision: optional(number()),
  createdAt: date(),
  updatedAt: date(),
};

export type SourceDocument = Stored<typeof fields>;

const sourceSchema = schemaOf(fields, { collection: 'sources' });
sourceSchema.index({ organizationId: 1, _id: 1 });
// The one query without an organization: a public key is all that a visitor has, and it determines the organization.
sourceSchema.index({ publicKey: 1 }, { unique: true });
// The daily pass over all that have a retention, across all organizations (retention.ts).
sourceSchema.index({ retentionDays: 1 }, { partialFilterExpression: { retentionDays: { $exists: true } } });

export const SourceModel = mongoose.model('Source', sourceSchema);
