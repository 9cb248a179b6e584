import type { KeyRate, RoleLimit } from '@worktrack/contracts/keys/records';
import type { TrustPreset } from '@worktrack/contracts/keys/trust-rules';
import type { Permission } from '@worktrack/contracts/permissions';
import {
  date,
  flag,
  mixed,
  nullable,
  number,
  optional,
  text,
  texts,
} from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** A public key as it is kept: what it is verified with, and nothing else. */
export type PublicJwk = Readonly<Record<string, string>>;

const fields = {
  _id: text(),
  organizationId: text(),
  userId: text(),
  createdBy: text(),
  name: text(),
  preset: text<TrustPreset>(),
  issuer: text(),
  /** A list, since the name of a claim may hold dots. */
  claims: mixed<{ name: string; is: string | string[] }[]>(),
  permissions: texts<Permission>(),
  projects: optional(nullable(texts())),
  /** As a key's. */
  roleLimit: optional(nullable(text<RoleLimit>())),
  ttlSeconds: number(),
  rateLimit: mixed<KeyRate>(),
  reuse: number(),
  jwks: optional(nullable(mixed<PublicJwk[]>())),
  disabled: flag(),
  /** Incremented when the rule trusts somebody else than before, or acts as another user: tokens that it gave earlier have an older one, and are over. */
  generation: number(),
  createdAt: date(),
  lastUsedAt: nullable(date()),
};

export type TrustRuleDocument = Stored<typeof fields>;

const trustRuleSchema = schemaOf(fields, { collection: 'trust_rules' });
trustRuleSchema.index({ organizationId: 1, _id: 1 });

export const TrustRuleModel = mongoose.model('TrustRule', trustRuleSchema);
