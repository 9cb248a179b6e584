import type { KeyRate, Resource, RoleLimit } from '@worktrack/contracts/keys/records';
import type { Permission } from '@worktrack/contracts/permissions';
import { date, mixed, nullable, number, optional, text, texts } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** What a user has allowed an app. Its tokens come and go; it is what they stand for. */
const fields = {
  _id: text(),
  organizationId: text(),
  userId: text(),
  /** The attempt to connect that it was given in. */
  connectionId: text(),
  clientId: text(),
  clientName: text(),
  clientDomain: nullable(text()),
  resource: text<Resource>(),
  permissions: texts<Permission>(),
  projects: optional(nullable(texts())),
  /** As a key's. */
  roleLimit: optional(text<RoleLimit>()),
  rateLimit: mixed<KeyRate>(),
  /** The code that the app gets for it, once. */
  codePrefix: text(),
  /** Like a key's. */
  codeHash: text(),
  codeChallenge: text(),
  redirectUri: text(),
  createdAt: date(),
  /** When the code was exchanged. */
  redeemedAt: nullable(date()),
  lastUsedAt: nullable(date()),
  /** When the code expires; once that has been exchanged, `grantedUntil`. */
  expiresAt: date(),
  grantedUntil: date(),
  revokedAt: nullable(date()),
  endedBecause: nullable(text<'revoked' | 'code-reused' | 'token-reused'>()),
  /** For what permissions it was lately refused a call. */
  missed: optional(mixed<{ permissions: Permission[]; at: Date }>()),
  revision: number(),
};

export type GrantDocument = Stored<typeof fields>;

/** As for sessions: what was done under a grant is reported by its id. */
const KEPT_AFTER_ITS_END_SECONDS = 365 * 24 * 60 * 60;

const grantSchema = schemaOf(fields, { collection: 'grants' });
grantSchema.index({ codePrefix: 1 }, { unique: true });
grantSchema.index({ organizationId: 1, _id: 1 });
grantSchema.index({ organizationId: 1, userId: 1, _id: 1 });
grantSchema.index({ expiresAt: 1 }, { expireAfterSeconds: KEPT_AFTER_ITS_END_SECONDS });

export const GrantModel = mongoose.model('Grant', grantSchema);
