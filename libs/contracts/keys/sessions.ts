import { z } from 'zod';
import { exampleConsoleSession, ids, times } from '../examples.ts';
import { Id, MAX_PAGE_SIZE, NextCursor, RecordId, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { Presented } from './identity.ts';
import { Session } from './records.ts';

export const SESSION_HOURS = 12;
export const CODE_MINUTES = 10;

export const listSessions = operation({
  name: 'sessions.list',
  summary: "List the organization's console sessions, newest first.",
  permissions: ['api-keys:read'],
  ofOrganization: true,
  effect: 'read',
  input: z.strictObject({
    /** Include those that were ended or have expired within the last year. */
    includeEnded: z.boolean().default(false),
    limit: z.int().min(1).max(MAX_PAGE_SIZE).default(50),
    /** `nextCursor` of the previous page. */
    cursor: Id.optional(),
  }),
  output: z.object({ items: z.array(Session), nextCursor: NextCursor }),
  errors: [],
  example: { input: {}, output: { items: [exampleConsoleSession], nextCursor: null } },
  rest: 'GET /api/sessions',
});

export const revokeSession = operation({
  name: 'sessions.revoke',
  summary:
    'End a console session, immediately and permanently: your own, or one with no more rights than your key. Once this returns, the session is accepted nowhere.',
  permissions: ['api-keys:write'],
  ofOrganization: true,
  audit: 'session',
  effect: 'delete',
  input: z.strictObject({ id: Id }),
  output: z.object({ id: RecordId, revokedAt: Timestamp }),
  errors: ['NOT_FOUND', 'PERMISSION_DENIED'],
  example: { input: { id: ids.consoleSession }, output: { id: ids.consoleSession, revokedAt: times.updatedAt } },
  rest: 'DELETE /api/sessions/:id',
});

export const createLoginCode = operation({
  name: 'sessions.createCode',
  summary: `Create a code that signs in to the console once, within ${CODE_MINUTES} minutes, at /console/#code=<code>. It is shown in this response and never again.`,
  // Anybody with a key can sign in with the key itself.
  permissions: [],
  audit: 'user',
  own: 'key',
  effect: 'create',
  input: z.strictObject({
    /** The user of the organization that it signs in. Default: the caller. Another user requires `users:write` and every permission of that user's role. */
    userId: Id.optional(),
  }),
  output: z.object({
    /** `null` in a replay: the code is stored nowhere. */
    code: z.string().nullable(),
    userId: RecordId,
    expiresAt: Timestamp,
  }),
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT'],
  example: {
    input: {},
    output: { code: `wtc_5kD8rTq1${'…'}`, userId: ids.user, expiresAt: times.codeExpiresAt },
  },
  rest: 'POST /api/login-codes',
});

/** The source of a request by somebody who is not signed in, for the audit log. */
export const From = z.strictObject({ address: z.string().nullable(), userAgent: z.string().nullable() }).optional();

export const openSession = operation({
  name: 'sessions.open',
  summary: 'Open a session with a code or a key. The gateway has made its token.',
  permissions: 'internal',
  effect: 'create',
  input: z.strictObject({ token: Presented, by: Presented, from: From }),
  output: z.object({ expiresAt: Timestamp }),
  errors: ['API_KEY_INVALID', 'CONFLICT'],
});

export const closeSession = operation({
  name: 'sessions.close',
  summary: 'Sign out of a session. If it does not exist or has ended, nothing changes.',
  permissions: 'internal',
  effect: 'delete',
  input: z.strictObject({ organizationId: Id, id: Id, from: From }),
  output: z.object({}),
  errors: [],
});
