import type { Permission } from '@worktrack/contracts/permissions';
import { date, number, text, texts } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** What a rule of trust gave for a JWT. It is never changed: what ends it is its time, or its rule. */
const fields = {
  _id: text(),
  organizationId: text(),
  ruleId: text(),
  /** The user that it acts as. */
  userId: text(),
  /** The rule's at that time. */
  generation: number(),
  prefix: text(),
  /** Like a key's. */
  hash: text(),
  /** The JWT, and how many of the tokens that it may be exchanged for were there before. */
  claim: text(),
  permissions: texts<Permission>(),
  createdAt: date(),
  expiresAt: date(),
};

export type TokenDocument = Stored<typeof fields>;

/** As for sessions: what was done with a token is reported by its id. Far longer than a JWT lasts, which must not be exchanged again. */
const KEPT_AFTER_ITS_END_SECONDS = 365 * 24 * 60 * 60;

const tokenSchema = schemaOf(fields, { collection: 'trust_tokens' });
tokenSchema.index({ prefix: 1 }, { unique: true });
// One JWT, one token: over all replicas, and without anything but the database.
tokenSchema.index({ claim: 1 }, { unique: true });
tokenSchema.index({ organizationId: 1, _id: 1 });
tokenSchema.index({ organizationId: 1, ruleId: 1, expiresAt: 1 });
tokenSchema.index({ organizationId: 1, userId: 1, expiresAt: 1 });
tokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: KEPT_AFTER_ITS_END_SECONDS });

export const TokenModel = mongoose.model('TrustToken', tokenSchema);
