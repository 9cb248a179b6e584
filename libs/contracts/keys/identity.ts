import { z } from 'zod';
import type { Caller } from '../caller.ts';
import { Id, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { KEY_PREFIX_LENGTH } from './key-format.ts';
import { KeyRate, PermissionValue, RoleValue } from './records.ts';

/** Who a valid key speaks for: what `GET /api/me` answers. */
export const Identity = z.object({
  user: z.object({ id: RecordId, name: z.string(), email: z.string(), role: RoleValue }),
  organization: z.object({ id: RecordId, name: z.string() }),
  /** The effective permissions: the key's own ∩ its user's at this moment. */
  permissions: z.array(PermissionValue),
  key: z.object({ id: RecordId, name: z.string(), prefix: z.string() }),
});
export type Identity = z.infer<typeof Identity>;

export function callerOf(identity: Identity, sessionProjectId?: string): Caller {
  return {
    organizationId: identity.organization.id,
    userId: identity.user.id,
    keyId: identity.key.id,
    permissions: identity.permissions,
    ...(sessionProjectId === undefined ? {} : { sessionProjectId }),
  };
}

const VERIFY_DEADLINE_MS = 5_000;
export const MAX_USES_PER_REPORT = 1_000;

/** The key itself stays in the gateway: its prefix and its SHA-256 are enough. */
export const verifyIdentity = operation({
  name: 'identity.verify',
  summary: 'Resolve a presented API key, by its prefix and the SHA-256 of the whole of it.',
  permissions: 'internal',
  effect: 'read',
  input: z.strictObject({
    prefix: z.string().length(KEY_PREFIX_LENGTH),
    digest: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  /** `null`: unknown, revoked, expired, or its user is disabled. */
  output: z.object({
    verified: z.object({ identity: Identity, expiresAt: Timestamp.nullable(), rateLimit: KeyRate }).nullable(),
  }),
  errors: [],
  deadlineMs: VERIFY_DEADLINE_MS,
});

export const currentIdentity = operation({
  name: 'identity.current',
  summary:
    'Whom a key speaks for now, by its prefix: for what was granted in its name earlier, such as an upload ticket.',
  permissions: 'internal',
  effect: 'read',
  input: z.strictObject({ prefix: z.string().length(KEY_PREFIX_LENGTH) }),
  /** `null`: unknown, revoked, expired, or its user is disabled. */
  output: z.object({ identity: Identity.nullable() }),
  errors: [],
  deadlineMs: VERIFY_DEADLINE_MS,
});

export const recordUse = operation({
  name: 'keys.recordUse',
  summary: 'Note when keys were last used. An older time than the noted one changes nothing.',
  permissions: 'internal',
  effect: 'update',
  input: z.strictObject({
    uses: z
      .array(z.strictObject({ organizationId: Id, keyId: Id, at: z.iso.datetime() }))
      .min(1)
      .max(MAX_USES_PER_REPORT),
  }),
  output: z.object({}),
  errors: [],
});
