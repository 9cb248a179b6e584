import type { Permission } from '@worktrack/contracts/permissions';
import { date, text, texts } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** A code that signs in once. */
const fields = {
  _id: text(),
  organizationId: text(),
  userId: text(),
  /** The key that it was made with, and that its session will belong to. */
  keyId: text(),
  prefix: text(),
  /** Like a key's. */
  hash: text(),
  permissions: texts<Permission>(),
  expiresAt: date(),
};

export type CodeDocument = Stored<typeof fields>;

const codeSchema = schemaOf(fields, { collection: 'login_codes' });
codeSchema.index({ prefix: 1 }, { unique: true });
codeSchema.index({ organizationId: 1, keyId: 1 });
codeSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const CodeModel = mongoose.model('LoginCode', codeSchema);
