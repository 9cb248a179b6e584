import type { Permission } from '@worktrack/contracts/permissions';
import mongoose from 'mongoose';

export interface SessionDocument {
  _id: string;
  organizationId: string;
  userId: string;
  keyId: string;
  prefix: string;
  /** Like a key's. */
  hash: string;
  permissions: Permission[];
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date;
  revokedAt: Date | null;
}

/** What was done in a session is reported by its id: the record stays as long as somebody may want to know whose it was. */
const KEPT_AFTER_ITS_END_SECONDS = 365 * 24 * 60 * 60;

const sessionSchema = new mongoose.Schema<SessionDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    userId: { type: String, required: true },
    keyId: { type: String, required: true },
    prefix: { type: String, required: true },
    hash: { type: String, required: true },
    permissions: { type: [String], required: true },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
    revokedAt: { type: Date, default: null },
  },
  { collection: 'sessions', versionKey: false },
);
sessionSchema.index({ prefix: 1 }, { unique: true });
sessionSchema.index({ organizationId: 1, _id: 1 });
sessionSchema.index({ organizationId: 1, userId: 1, expiresAt: 1 });
sessionSchema.index({ organizationId: 1, keyId: 1, expiresAt: 1 });
sessionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: KEPT_AFTER_ITS_END_SECONDS });

export const SessionModel = mongoose.model('Session', sessionSchema);
