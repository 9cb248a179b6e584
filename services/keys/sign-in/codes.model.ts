import type { Permission } from '@worktrack/contracts/permissions';
import mongoose from 'mongoose';

/** A code that signs in once. */
export interface CodeDocument {
  _id: string;
  organizationId: string;
  userId: string;
  /** The key that it was made with, and that its session will belong to. */
  keyId: string;
  prefix: string;
  /** Like a key's. */
  hash: string;
  permissions: Permission[];
  expiresAt: Date;
}

const codeSchema = new mongoose.Schema<CodeDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    userId: { type: String, required: true },
    keyId: { type: String, required: true },
    prefix: { type: String, required: true },
    hash: { type: String, required: true },
    permissions: { type: [String], required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'login_codes', versionKey: false },
);
codeSchema.index({ prefix: 1 }, { unique: true });
codeSchema.index({ organizationId: 1, keyId: 1 });
codeSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const CodeModel = mongoose.model('LoginCode', codeSchema);
