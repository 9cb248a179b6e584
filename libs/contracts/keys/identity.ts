import { z } from 'zod';
import type { Caller } from '../caller.ts';
import { Id, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { PREFIX_SHAPE } from './key-format.ts';
import { KeyRate, PermissionValue, Resource, RoleLimit, RoleValue } from './records.ts';

/** Who a valid key speaks for: the response of `GET /api/me`. */
export const Identity = z.object({
  /** `role` as `roleLimit` allows it. */
  user: z.object({ id: RecordId, name: z.string(), email: z.string(), role: RoleValue }),
  organization: z.object({ id: RecordId, name: z.string() }),
  /** Absent: what goes by the role goes by that of the user. Otherwise it was made by somebody else, who could act as nobody with a higher role than this. */
  roleLimit: RoleLimit.optional(),
  /** The effective permissions: the key's own ∩ its user's at this moment. */
  permissions: z.array(PermissionValue),
  /** The only projects that exist for the caller: the key's own ∩ its user's at this moment. `null`: all of the organization. */
  projects: z.array(RecordId).nullable(),
  /** What was presented. For a console session: its own id and prefix, and the name of the key that it was opened with. For a token of a rule of trust: its own, and the name of the rule. For one of a connected app: the id of its grant, and the app's name. */
  key: z.object({ id: RecordId, name: z.string(), prefix: z.string() }),
  /**
   * For a console session: the key that it was opened with, and when it ends. `keyUserId`: the key is another user's, who has invited this one; the session then has a rate
   * and a share of concurrent calls of its user's own.
   */
  session: z.object({ keyId: RecordId, keyUserId: RecordId.optional(), expiresAt: Timestamp }).optional(),
  /** For a token of a rule of trust: the rule, whose tokens share a rate and a share of concurrent calls, and when the token ends. */
  rule: z.object({ id: RecordId, expiresAt: Timestamp }).optional(),
  /**
   * For an access token of a connected app, which only the endpoint of its resource accepts: its grant, the resource, its expiry, and what else its user could
   * allow. All tokens of a grant share a rate and a share of concurrent calls.
   */
  grant: z
    .object({ id: RecordId, resource: Resource, expiresAt: Timestamp, grantable: z.array(PermissionValue) })
    .optional(),
  /** Of a key that was made by rotation, and of its sessions: the first key of that line. They share their rate and their share of concurrent calls. */
  rotatedFrom: RecordId.optional(),
});
export type Identity = z.infer<typeof Identity>;

export function callerOf(identity: Identity, sessionProjectId?: string): Caller {
  return {
    organizationId: identity.organization.id,
    userId: identity.user.id,
    keyId: identity.key.id,
    permissions: identity.permissions,
    ...(identity.projects ? { projects: identity.projects } : {}),
    ...(sessionProjectId === undefined ? {} : { sessionProjectId }),
  };
}

/** What counts in which rate. */
const Counted = z.object({
  rateLimit: KeyRate,
  /**
   * The counter that its requests share.
   * - For a session, or a key made by rotation: the prefix of the key that it comes from, and if a session's user is not that key's, the user.
   * - For a token: its rule, or its grant.
   */
  countedAs: z.string().optional(),
});

const VERIFY_DEADLINE_MS = 5_000;
export const MAX_USES_PER_REPORT = 1_000;

/** A key, a session or a code as services refer to it among themselves. The secret stays in the gateway: its prefix and its SHA-256 are enough. */
export const Presented = z.strictObject({
  prefix: z.string().regex(PREFIX_SHAPE),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Presented = z.infer<typeof Presented>;

export const verifyIdentity = operation({
  name: 'identity.verify',
  summary: 'Resolve a presented API key or session, by its prefix and the SHA-256 of the whole of it.',
  permissions: 'internal',
  effect: 'read',
  input: Presented,
  /** `null`: unknown, revoked, expired, or its user is disabled. */
  output: z.object({
    verified: Counted.extend({ identity: Identity, expiresAt: Timestamp.nullable() }).nullable(),
  }),
  errors: [],
  deadlineMs: VERIFY_DEADLINE_MS,
});

export const currentIdentity = operation({
  name: 'identity.current',
  summary:
    'Whom a key or session speaks for now, by its prefix: for what was granted in its name earlier, such as an upload ticket.',
  permissions: 'internal',
  effect: 'read',
  input: Presented.pick({ prefix: true }),
  /** `null`: unknown, revoked, expired, or its user is disabled. */
  output: Counted.partial().extend({ identity: Identity.nullable() }),
  errors: [],
  deadlineMs: VERIFY_DEADLINE_MS,
});

export const recordUse = operation({
  name: 'keys.recordUse',
  summary: 'Note when keys, sessions and grants were last used. An older time than the noted one changes nothing.',
  permissions: 'internal',
  effect: 'update',
  input: z.strictObject({
    uses: z
      .array(
        z.strictObject({
          organizationId: Id,
          keyId: Id,
          /** The id is a session's, or a grant's. */
          isSession: z.boolean().default(false),
          isGrant: z.boolean().default(false),
          at: z.iso.datetime(),
        }),
      )
      .min(1)
      .max(MAX_USES_PER_REPORT),
  }),
  output: z.object({}),
  errors: [],
});
