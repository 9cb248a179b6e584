import { z } from 'zod';
import { exampleConnection, ids } from '../examples.ts';
import { Id } from '../fields.ts';
import { operation } from '../operation.ts';
import { Connection, ConsentRequest, Problem } from './connection.ts';

export const MAX_CONNECTIONS = 100;

export const listConnections = operation({
  name: 'connections.list',
  summary: `Show the attempts of apps to connect within the last day, newest first and at most ${MAX_CONNECTIONS}: the steps that were seen, and the first missing one. You see your own and those from your network without a sign-in; an owner sees those of all users.`,
  permissions: [],
  rolesFor: { all: ['owner'] },
  withSender: true,
  effect: 'read',
  input: z.strictObject({
    /** Those of all users, and those that nobody has signed in for if this is the only organization: for owners. */
    all: z.boolean().default(false),
  }),
  output: z.object({ items: z.array(Connection) }),
  errors: ['PERMISSION_DENIED'],
  example: { input: {}, output: { items: [exampleConnection] } },
  rest: 'GET /api/connections',
});

export const openConnection = operation({
  name: 'connections.open',
  summary: 'Show the request of an app, to decide about it. Only for a person who is signed in to the console.',
  permissions: [],
  withSender: true,
  own: 'user',
  effect: 'update',
  input: z.strictObject({ id: Id }),
  output: z.object({
    /** `null`: there is nothing to decide; `problem` says why, or it was decided already. */
    request: ConsentRequest.nullable(),
    problem: z.object({ code: Problem, detail: z.string().nullable() }).nullable(),
    /** Leads back to the app, with an error. `null`: the app's address is not known. */
    backTo: z.string().nullable(),
  }),
  errors: ['PERMISSION_DENIED', 'NOT_FOUND'],
  example: {
    input: { id: ids.connection },
    output: {
      request: {
        id: ids.connection,
        client: {
          id: exampleConnection.clientId ?? '',
          name: exampleConnection.clientName ?? '',
          uri: 'https://claude.ai',
          domain: 'claude.ai',
        },
        returnsTo: { kind: 'site', name: 'claude.ai' },
        resource: 'connect',
        offered: ['work-items:read', 'work-items:write'],
        given: [],
        missed: [],
      },
      problem: null,
      backTo: `https://claude.ai/api/mcp/auth_callback?error=access_denied${'…'}`,
    },
  },
  rest: 'POST /api/connections/:id/open',
});

export const denyConnection = operation({
  name: 'connections.deny',
  summary: 'Refuse the request of an app. Only for a person who is signed in to the console.',
  permissions: [],
  withSender: true,
  own: 'user',
  effect: 'update',
  input: z.strictObject({ id: Id }),
  output: z.object({ redirectTo: z.string() }),
  errors: ['PERMISSION_DENIED', 'NOT_FOUND', 'CONFLICT'],
  example: {
    input: { id: ids.connection },
    output: { redirectTo: `https://claude.ai/api/mcp/auth_callback?error=access_denied${'…'}` },
  },
  rest: 'POST /api/connections/:id/deny',
});
