import type { Permission } from '@worktrack/contracts/permissions';
import { date, nullable, text, texts } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const fields = {
  _id: text(),
  organizationId: text(),
  userId: text(),
  keyId: text(),
  prefix: text(),
  /** Like a key's. */
  hash: text(),
  permissions: texts<Permission>(),
  createdAt: date(),
  lastUsedAt: nullable(date()),
  expiresAt: date(),
  revokedAt: nullable(date()),
};

export type SessionDocument = Stored<typeof fields>;

/** What was done in a session is reported by its id: the record stays as long as somebody may want to know whose it was. */
const KEPT_AFTER_ITS_END_SECONDS = 365 * 24 * 60 * 60;

const sessionSchema = schemaOf(fields, { collection: 'sessions' });
sessionSchema.index({ prefix: 1 }, { unique: true });
sessionSchema.index({ organizationId: 1, _id: 1 });
sessionSchema.index({ organizationId: 1, userId: 1, expiresAt: 1 });
sessionSchema.index({ organizationId: 1, keyId: 1, expiresAt: 1 });
sessionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: KEPT_AFTER_ITS_END_SECONDS });

export const SessionModel = mongoose.model('Session', sessionSchema);
