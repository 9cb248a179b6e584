import { z } from 'zod';
import { described } from '../described.ts';
import { ids, times } from '../examples.ts';
import { Id, ofFewFields, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import {
  DEFAULT_KEY_RATE,
  KeyRate,
  KeyRateInput,
  Name,
  PermissionsInput,
  PermissionValue,
  ProjectsInput,
} from './records.ts';

export const MAX_TRUST_RULES = 100;
/** Refused ones, as many as are kept. */
export const MAX_TRIES = 100;
const MAX_CLAIMS = 20;
/** Of a key: far more than there are. */
const MAX_MEMBERS = 100;
const MAX_ALTERNATIVES = 50;
const MAX_CLAIM_NAME_LENGTH = 100;
const MAX_CLAIM_VALUE_LENGTH = 500;
/** For all of them together, and for the keys as they are kept: the list of an organization's rules is one response. */
const MAX_CLAIMS_BYTES = 16 * 1024;
export const MAX_KEPT_KEYS_BYTES = 32 * 1024;
const MAX_ISSUER_LENGTH = 500;
const MAX_KEYS_OF_ISSUER = 20;
const MIN_TTL_SECONDS = 60;
const MAX_TTL_SECONDS = 3_600;
const DEFAULT_TTL_SECONDS = 900;
const MAX_REUSE = 100;

/** Who issues the tokens that a rule trusts, and so what it must require of them (services/keys/trust-rules/presets.ts). */
export const TRUST_PRESETS = ['github', 'gitlab', 'buildkite', 'kubernetes', 'generic'] as const;
export type TrustPreset = (typeof TRUST_PRESETS)[number];

const CLAIM_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]*$/;
const ClaimValue = z.string().min(1).max(MAX_CLAIM_VALUE_LENGTH);
const ClaimValues = z.union([ClaimValue, z.array(ClaimValue).min(1).max(MAX_ALTERNATIVES)], {
  error: `must be a text, or a list of 1 to ${MAX_ALTERNATIVES} texts; also an id: "123"`,
});
const Claims = ofFewFields(
  MAX_CLAIMS,
  z
    .record(z.string().max(MAX_CLAIM_NAME_LENGTH).regex(CLAIM_NAME, 'must be the name of a claim'), ClaimValues)
    .refine(
      (claims) => new TextEncoder().encode(JSON.stringify(claims)).byteLength <= MAX_CLAIMS_BYTES,
      `must be at most ${MAX_CLAIMS_BYTES} bytes as JSON`,
    ),
);
export type TrustClaims = z.infer<typeof Claims>;

/** Members that are not understood are left out, as RFC 7517 (5) says. */
const KeySet = z.object({
  keys: z
    .array(ofFewFields(MAX_MEMBERS, z.record(z.string(), z.unknown())))
    .min(1)
    .max(MAX_KEYS_OF_ISSUER),
});

const Issuer = z
  .string()
  .trim()
  .min(1)
  .max(MAX_ISSUER_LENGTH)
  .regex(/^[!-~]+$/, 'must be printable ASCII without spaces')
  .register(described, { description: "As in the tokens' `iss`. Default: the public one of the preset" });

export const TrustRule = z.object({
  id: RecordId,
  name: z.string(),
  preset: z.enum(TRUST_PRESETS),
  issuer: z.string(),
  /** What a token must name in `aud`. It is this rule's alone. */
  audience: z.string(),
  /** All of which a token must have. */
  claims: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  /** What a token may do is this ∩ the permissions of the user's role. */
  permissions: z.array(PermissionValue),
  /** `null`: all of the organization, later ones included. */
  projects: z.array(RecordId).nullable(),
  /** The user that tokens act as. */
  userId: RecordId,
  ttlSeconds: z.int(),
  /** Of all tokens of the rule together. */
  rateLimit: KeyRate,
  /** How many tokens one JWT is exchanged for at most. */
  reuse: z.int(),
  /** The issuer's keys, if they were uploaded. `null`: they are fetched. */
  jwks: z.object({ keys: z.array(z.record(z.string(), z.string())) }).nullable(),
  disabled: z.boolean(),
  createdBy: RecordId,
  createdAt: Timestamp,
  /** When it last gave a token. */
  lastUsedAt: Timestamp.nullable(),
});
export type TrustRule = z.infer<typeof TrustRule>;

const exampleRule: TrustRule = {
  id: ids.trustRule,
  name: 'Web shop, main',
  preset: 'github',
  issuer: 'https://token.actions.githubusercontent.com',
  audience: `https://worktrack.example/trust/${ids.trustRule}`,
  claims: {
    repository_id: '987654321',
    repository_owner_id: '1234567',
    ref: ['refs/heads/main', 'refs/heads/release/*'],
  },
  permissions: ['work-items:read', 'work-items:write'],
  projects: [ids.project],
  userId: ids.user,
  ttlSeconds: DEFAULT_TTL_SECONDS,
  rateLimit: DEFAULT_KEY_RATE,
  reuse: 1,
  jwks: null,
  disabled: false,
  createdBy: ids.user,
  createdAt: times.createdAt,
  lastUsedAt: null,
};

const fields = {
  claims: Claims.describe(
    'Each must be equal in the token, or be one of a list. `ref`, `refs`, `workflow_ref` and `job_workflow_ref` may end in `*`, after `refs/heads/` or `refs/tags/`',
  ),
  /** The user that tokens act as. Default: the caller. Another one needs `users:write`. */
  userId: Id.optional(),
  /** Default: those of the caller, which it never exceeds. */
  projects: ProjectsInput.optional(),
  /** Of all tokens of the rule together. Never more than that of the key that creates it, if that has one of its own. */
  rateLimit: KeyRateInput.optional(),
  /** The issuer's public keys, where they cannot be fetched. */
  jwks: KeySet.nullable().optional(),
};
const ttlSeconds = z.int().min(MIN_TTL_SECONDS).max(MAX_TTL_SECONDS);
const reuse = z.int().min(1).max(MAX_REUSE);

export const listTrustRules = operation({
  name: 'trustRules.list',
  summary: "List the organization's rules of trust, newest first.",
  permissions: ['api-keys:write'],
  ofOrganization: true,
  effect: 'read',
  input: z.strictObject({}),
  output: z.array(TrustRule),
  errors: [],
  example: { input: {}, output: [exampleRule] },
  rest: 'GET /api/trust-rules',
});

export const createTrustRule = operation({
  name: 'trustRules.create',
  summary: `Trust an issuer's tokens that have certain claims, such as those of a CI job: each can be exchanged for a short-lived token with these permissions. At most ${MAX_TRUST_RULES} in an organization. No request is sent to the issuer.`,
  permissions: ['api-keys:write'],
  ofOrganization: true,
  audit: 'rule',
  effect: 'create',
  input: z.strictObject({
    ...fields,
    name: Name,
    preset: z.enum(TRUST_PRESETS).default('generic'),
    issuer: Issuer.optional(),
    /** Default: all that the caller has. */
    permissions: PermissionsInput.optional(),
    ttlSeconds: ttlSeconds.default(DEFAULT_TTL_SECONDS),
    /** How many tokens one JWT is exchanged for at most: for jobs that get one JWT and run longer than a token. */
    reuse: reuse.default(1),
    disabled: z.boolean().default(false),
  }),
  output: TrustRule,
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT'],
  example: {
    input: {
      ...{ name: exampleRule.name, preset: 'github', claims: exampleRule.claims },
      ...{ permissions: exampleRule.permissions, projects: exampleRule.projects },
    },
    output: exampleRule,
  },
  rest: 'POST /api/trust-rules',
});

export const updateTrustRule = operation({
  name: 'trustRules.update',
  summary:
    'Change a rule of trust that has no more rights than your key. Once this returns, the change holds for tokens that the rule has given: another issuer, other claims or another user end them.',
  permissions: ['api-keys:write'],
  ofOrganization: true,
  audit: 'rule',
  effect: 'update',
  input: z.strictObject({
    id: Id,
    ...fields,
    claims: Claims.optional(),
    name: Name.optional(),
    preset: z.enum(TRUST_PRESETS).optional(),
    issuer: Issuer.optional(),
    permissions: PermissionsInput.optional(),
    ttlSeconds: ttlSeconds.optional(),
    reuse: reuse.optional(),
    disabled: z.boolean().optional(),
  }),
  output: TrustRule,
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT'],
  example: { input: { id: ids.trustRule, ttlSeconds: 300 }, output: { ...exampleRule, ttlSeconds: 300 } },
  rest: 'PATCH /api/trust-rules/:id',
});

export const deleteTrustRule = operation({
  name: 'trustRules.delete',
  summary:
    'Delete a rule of trust that has no more rights than your key. Once this returns, none of its tokens is accepted.',
  permissions: ['api-keys:write'],
  ofOrganization: true,
  audit: 'rule',
  effect: 'delete',
  input: z.strictObject({ id: Id }),
  output: z.object({ id: RecordId }),
  errors: ['PERMISSION_DENIED', 'NOT_FOUND'],
  example: { input: { id: ids.trustRule }, output: { id: ids.trustRule } },
  rest: 'DELETE /api/trust-rules/:id',
});

export const listTries = operation({
  name: 'trustRules.tries',
  summary: `Show why the last JWTs for a rule of trust were refused, newest first: up to ${MAX_TRIES}, for 7 days, with an entry for each claim that did not match. Their senders do not learn this.`,
  permissions: ['api-keys:write'],
  ofOrganization: true,
  effect: 'read',
  input: z.strictObject({ id: Id }),
  /** `id`: of the try, which all its entries have: several may fall into one millisecond. */
  output: z.array(
    z.object({ id: z.string(), at: Timestamp, claim: z.string(), expected: z.string(), got: z.string() }),
  ),
  errors: ['NOT_FOUND'],
  example: {
    input: { id: ids.trustRule },
    output: [
      { id: ids.trustTry, at: times.updatedAt, claim: 'repository_id', expected: '987654321', got: '987654322' },
    ],
  },
  rest: 'GET /api/trust-rules/:id/tries',
});
