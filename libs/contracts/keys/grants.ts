import { z } from 'zod';
import { exampleGrant, ids, times } from '../examples.ts';
import { Id, MAX_PAGE_SIZE, NextCursor, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { Grant, PermissionsInput, ProjectsInput } from './records.ts';

export const DEFAULT_GRANT_DAYS = 30;
export const MAX_GRANT_DAYS = 365;

export const listGrants = operation({
  name: 'grants.list',
  summary: 'List the apps that you have connected, newest first; an owner also those of the whole organization.',
  permissions: [],
  rolesFor: { all: ['owner'] },
  effect: 'read',
  input: z.strictObject({
    /** Those of all users: for owners, with a key that is not limited to projects. */
    all: z.boolean().default(false),
    /** Include those that were revoked or have expired within the last year. */
    includeEnded: z.boolean().default(false),
    limit: z.int().min(1).max(MAX_PAGE_SIZE).default(50),
    /** `nextCursor` of the previous page. */
    cursor: Id.optional(),
  }),
  output: z.object({ items: z.array(Grant), nextCursor: NextCursor }),
  errors: ['PERMISSION_DENIED'],
  example: { input: {}, output: { items: [exampleGrant], nextCursor: null } },
  rest: 'GET /api/grants',
});

export const revokeGrant = operation({
  name: 'grants.revoke',
  summary:
    'Disconnect an app, immediately and permanently: yours, or for an owner any app, with no more rights than your key. Once this returns, none of its tokens is accepted.',
  permissions: [],
  audit: 'grant',
  effect: 'delete',
  input: z.strictObject({ id: Id }),
  output: z.object({ id: RecordId, revokedAt: Timestamp }),
  errors: ['NOT_FOUND', 'PERMISSION_DENIED'],
  example: { input: { id: ids.grant }, output: { id: ids.grant, revokedAt: times.updatedAt } },
  rest: 'DELETE /api/grants/:id',
});

export const createGrant = operation({
  name: 'grants.create',
  summary:
    'Allow all that an app asks for, or a part of it: only for a person who is signed in to the console. The answer leads back to the app, with a code that works once, within 60 seconds.',
  permissions: [],
  audit: 'grant',
  own: 'user',
  effect: 'create',
  input: z.strictObject({
    /** The id of the connection, with the app's request. */
    id: Id,
    /** The app's permissions: those that it asks for, as far as you hold them. */
    permissions: PermissionsInput,
    /** Default: yours, which it never exceeds. */
    projects: ProjectsInput.optional(),
    expiresInDays: z.int().min(1).max(MAX_GRANT_DAYS).default(DEFAULT_GRANT_DAYS),
  }),
  output: z.object({
    /** Of the grant. */
    id: RecordId,
    /** `null` in a replay: the code in it is stored nowhere. */
    redirectTo: z.string().nullable(),
  }),
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT'],
  example: {
    input: { id: ids.connection, permissions: ['work-items:read'], expiresInDays: 30 },
    output: { id: ids.grant, redirectTo: `https://claude.ai/api/mcp/auth_callback?code=wta_${'…'}` },
  },
  rest: 'POST /api/connections/:id/approve',
});
