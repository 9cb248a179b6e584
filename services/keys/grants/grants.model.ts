import type { KeyRate, Resource } from '@worktrack/contracts/keys/records';
import type { Permission } from '@worktrack/contracts/permissions';
import mongoose from 'mongoose';

/** What a user has allowed an app. Its tokens come and go; it is what they stand for. */
export interface GrantDocument {
  _id: string;
  organizationId: string;
  userId: string;
  /** The attempt to connect that it was given in. */
  connectionId: string;
  clientId: string;
  clientName: string;
  clientDomain: string | null;
  resource: Resource;
  permissions: Permission[];
  projects?: string[] | null;
  rateLimit: KeyRate;
  /** The code that the app gets for it, once. */
  codePrefix: string;
  /** Like a key's. */
  codeHash: string;
  codeChallenge: string;
  redirectUri: string;
  createdAt: Date;
  /** When the code was exchanged. */
  redeemedAt: Date | null;
  lastUsedAt: Date | null;
  /** When the code expires; once that has been exchanged, `grantedUntil`. */
  expiresAt: Date;
  grantedUntil: Date;
  revokedAt: Date | null;
  endedBecause: 'revoked' | 'code-reused' | 'token-reused' | null;
  /** For what permissions it was lately refused a call. */
  missed?: { permissions: Permission[]; at: Date };
  revision: number;
}

/** As for sessions: what was done under a grant is reported by its id. */
const KEPT_AFTER_ITS_END_SECONDS = 365 * 24 * 60 * 60;

const { Mixed } = mongoose.Schema.Types;

const grantSchema = new mongoose.Schema<GrantDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    userId: { type: String, required: true },
    connectionId: { type: String, required: true },
    clientId: { type: String, required: true },
    clientName: { type: String, required: true },
    clientDomain: { type: String, default: null },
    resource: { type: String, required: true },
    permissions: { type: [String], required: true },
    projects: { type: [String], default: undefined },
    rateLimit: { type: Mixed, required: true },
    codePrefix: { type: String, required: true },
    codeHash: { type: String, required: true },
    codeChallenge: { type: String, required: true },
    redirectUri: { type: String, required: true },
    createdAt: { type: Date, required: true },
    redeemedAt: { type: Date, default: null },
    lastUsedAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
    grantedUntil: { type: Date, required: true },
    revokedAt: { type: Date, default: null },
    endedBecause: { type: String, default: null },
    missed: { type: Mixed, default: undefined },
    revision: { type: Number, required: true },
  },
  { collection: 'grants', versionKey: false },
);
grantSchema.index({ codePrefix: 1 }, { unique: true });
grantSchema.index({ organizationId: 1, _id: 1 });
grantSchema.index({ organizationId: 1, userId: 1, _id: 1 });
grantSchema.index({ expiresAt: 1 }, { expireAfterSeconds: KEPT_AFTER_ITS_END_SECONDS });

export const GrantModel = mongoose.model('Grant', grantSchema);
