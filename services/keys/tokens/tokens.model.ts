import type { Permission } from '@worktrack/contracts/permissions';
import mongoose from 'mongoose';

/** What a rule of trust gave for a JWT. It is never changed: what ends it is its time, or its rule. */
export interface TokenDocument {
  _id: string;
  organizationId: string;
  ruleId: string;
  /** The user that it acts as. */
  userId: string;
  /** The rule's at that time. */
  generation: number;
  prefix: string;
  /** Like a key's. */
  hash: string;
  /** The JWT, and how many of the tokens that it may be exchanged for were there before. */
  claim: string;
  permissions: Permission[];
  createdAt: Date;
  expiresAt: Date;
}

/** As for sessions: what was done with a token is reported by its id. Far longer than a JWT lasts, which must not be exchanged again. */
const KEPT_AFTER_ITS_END_SECONDS = 365 * 24 * 60 * 60;

const tokenSchema = new mongoose.Schema<TokenDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    ruleId: { type: String, required: true },
    userId: { type: String, required: true },
    generation: { type: Number, required: true },
    prefix: { type: String, required: true },
    hash: { type: String, required: true },
    claim: { type: String, required: true },
    permissions: { type: [String], required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'trust_tokens', versionKey: false },
);
tokenSchema.index({ prefix: 1 }, { unique: true });
// One JWT, one token: over all replicas, and without anything but the database.
tokenSchema.index({ claim: 1 }, { unique: true });
tokenSchema.index({ organizationId: 1, _id: 1 });
tokenSchema.index({ organizationId: 1, ruleId: 1, expiresAt: 1 });
tokenSchema.index({ organizationId: 1, userId: 1, expiresAt: 1 });
tokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: KEPT_AFTER_ITS_END_SECONDS });

export const TokenModel = mongoose.model('TrustToken', tokenSchema);
