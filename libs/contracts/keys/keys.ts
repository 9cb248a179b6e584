import { z } from 'zod';
import { exampleKey, ids, times } from '../examples.ts';
import { Id, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { ApiKey, CreatedApiKey, KeyRateInput, Name, PermissionValue, ProjectsInput } from './records.ts';

const MAX_EXPIRY_DAYS = 3_650;
const MAX_OVERLAP_SECONDS = 604_800;
export const DEFAULT_OVERLAP_SECONDS = 86_400;
/** Far more than exist: some may be listed twice. */
const MAX_PERMISSIONS = 100;
/** In one answer. */
export const MAX_LISTED_KEYS = 1_000;

export const createKey = operation({
  name: 'keys.create',
  summary: 'Create an API key. The complete key is shown in this response and never again.',
  permissions: ['api-keys:write'],
  audit: 'key',
  effect: 'create',
  input: z.strictObject({
    name: Name,
    /** Default: all that the caller has. */
    permissions: z.array(PermissionValue).max(MAX_PERMISSIONS).optional(),
    /** Default: those of the caller, which it never exceeds. */
    projects: ProjectsInput.optional(),
    /** Default: as long as the key that creates it, which it never outlives. */
    expiresInDays: z.int().min(1).max(MAX_EXPIRY_DAYS).optional(),
    /** Never more than that of the key that creates it, if that has one of its own. */
    rateLimit: KeyRateInput.optional(),
    /** The user of the organization that the key acts as. Default: the caller. Another user needs `users:write`. */
    userId: Id.optional(),
  }),
  output: CreatedApiKey,
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT'],
  example: {
    input: { name: 'CI', permissions: ['work-items:read', 'work-items:write'] },
    output: { ...exampleKey, key: `wt_7hQ2mXv9${'…'}` },
  },
  rest: 'POST /api/api-keys',
});

export const listKeys = operation({
  name: 'keys.list',
  summary:
    "List the organization's active API keys, newest first. A key that is limited to projects finds only itself.",
  permissions: ['api-keys:read'],
  effect: 'read',
  input: z.strictObject({
    /** Include revoked and expired keys. */
    includeRevoked: z.boolean().default(false),
    cursor: Id.optional().describe(
      `The id of the last key of the previous answer, which has at most ${MAX_LISTED_KEYS}. Active keys are never more`,
    ),
  }),
  output: z.array(ApiKey),
  errors: [],
  example: { input: {}, output: [exampleKey] },
  rest: 'GET /api/api-keys',
});

export const revokeKey = operation({
  name: 'keys.revoke',
  summary:
    'Revoke an API key, immediately and permanently: your own, or one with no more rights than yours. Once this returns, the key is accepted nowhere.',
  permissions: ['api-keys:write'],
  audit: 'key',
  effect: 'delete',
  input: z.strictObject({ id: Id }),
  output: z.object({ id: RecordId, revokedAt: Timestamp }),
  errors: ['NOT_FOUND', 'PERMISSION_DENIED'],
  example: { input: { id: ids.key }, output: { id: ids.key, revokedAt: times.updatedAt } },
  rest: 'DELETE /api/api-keys/:id',
});

const overlap = {
  /** How long the old key still works, but never beyond its own end. */
  overlapSeconds: z.int().min(0).max(MAX_OVERLAP_SECONDS).default(DEFAULT_OVERLAP_SECONDS),
};
const ROTATED = { ...exampleKey, id: ids.otherKey, prefix: 'wt_Qm4c81Xz', key: `wt_Qm4c81Xz${'…'}` };

export const rotateKey = operation({
  name: 'keys.rotate',
  summary:
    'Replace an API key that has no more rights than yours. The new key has the same name, permissions, projects, rate, user and end, and is shown in this response and never again; the old one works until the overlap ends.',
  permissions: ['api-keys:write'],
  audit: 'key',
  effect: 'create',
  input: z.strictObject({ id: Id, ...overlap }),
  output: CreatedApiKey,
  errors: ['NOT_FOUND', 'PERMISSION_DENIED', 'CONFLICT'],
  example: { input: { id: ids.key, overlapSeconds: 3_600 }, output: ROTATED },
  rest: 'POST /api/api-keys/:id/rotate',
});

export const rotateOwnKey = operation({
  name: 'keys.rotateSelf',
  summary:
    'Replace the API key that makes this call, which needs no permission. The new key is shown in this response and never again; the old one works until the overlap ends.',
  permissions: [],
  audit: 'key',
  own: 'key',
  effect: 'create',
  input: z.strictObject({ ...overlap }),
  output: CreatedApiKey,
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT'],
  example: { input: {}, output: ROTATED },
  rest: 'POST /api/api-keys/self/rotate',
});
