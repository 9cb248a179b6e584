import type { KeyRate } from '@worktrack/contracts/keys/records';
import type { TrustPreset } from '@worktrack/contracts/keys/trust-rules';
import type { Permission } from '@worktrack/contracts/permissions';
import mongoose from 'mongoose';

/** A public key as it is kept: what it is verified with, and nothing else. */
export type PublicJwk = Readonly<Record<string, string>>;

export interface TrustRuleDocument {
  _id: string;
  organizationId: string;
  userId: string;
  createdBy: string;
  name: string;
  preset: TrustPreset;
  issuer: string;
  /** A list, since the name of a claim may hold dots. */
  claims: { name: string; is: string | string[] }[];
  permissions: Permission[];
  projects?: string[] | null;
  ttlSeconds: number;
  rateLimit: KeyRate;
  reuse: number;
  jwks?: PublicJwk[] | null;
  disabled: boolean;
  /** Incremented when the rule trusts somebody else than before, or acts as another user: tokens that it gave earlier have an older one, and are over. */
  generation: number;
  createdAt: Date;
  lastUsedAt: Date | null;
}

const { Mixed } = mongoose.Schema.Types;

const trustRuleSchema = new mongoose.Schema<TrustRuleDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    userId: { type: String, required: true },
    createdBy: { type: String, required: true },
    name: { type: String, required: true },
    preset: { type: String, required: true },
    issuer: { type: String, required: true },
    claims: { type: Mixed, required: true },
    permissions: { type: [String], required: true },
    projects: { type: [String], default: undefined },
    ttlSeconds: { type: Number, required: true },
    rateLimit: { type: Mixed, required: true },
    reuse: { type: Number, required: true },
    jwks: Mixed,
    disabled: { type: Boolean, required: true },
    generation: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, default: null },
  },
  { collection: 'trust_rules', versionKey: false },
);
trustRuleSchema.index({ organizationId: 1, _id: 1 });

export const TrustRuleModel = mongoose.model('TrustRule', trustRuleSchema);
