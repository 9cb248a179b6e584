import { date, nullable, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** An access token or a refresh token of a grant. */
const fields = {
  _id: text(),
  organizationId: text(),
  grantId: text(),
  userId: text(),
  kind: text<'access' | 'refresh'>(),
  prefix: text(),
  /** Like a key's. */
  hash: text(),
  createdAt: date(),
  expiresAt: date(),
  /** Of a refresh token: when it was exchanged for the next one. */
  replacedAt: nullable(date()),
};

export type GrantTokenDocument = Stored<typeof fields>;

const tokenSchema = schemaOf(fields, { collection: 'grant_tokens' });
tokenSchema.index({ prefix: 1 }, { unique: true });
tokenSchema.index({ organizationId: 1, grantId: 1, kind: 1, expiresAt: 1 });
tokenSchema.index({ organizationId: 1, userId: 1, kind: 1, expiresAt: 1 });
tokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const GrantTokenModel = mongoose.model('GrantToken', tokenSchema);
