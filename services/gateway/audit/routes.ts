import { exportAudit } from '@worktrack/contracts/audit/operations';
import { callerOf } from '@worktrack/contracts/keys/identity';
import { parseInput } from '@worktrack/runtime/validation/parse';
import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients.ts';
import { senderOf } from '../http/sender.ts';
import type { Authenticator } from '../identity/authenticate.ts';
import { authorize } from '../identity/authorize.ts';
import { requireUnlimited } from '../identity/permissions.ts';
import { inputReader } from '../rest/input.ts';

const JSON_LINES = 'application/jsonl; charset=utf-8';
const PUBLIC_KEYS = '/.well-known/worktrack-audit-keys.json';
/** How long what the events service answered is answered again: anybody may ask, and its keys change with a restart. */
const KEYS_FOR_MS = 60_000;

/** What of the audit log is not JSON in an envelope: the export, and the public keys of its heads. */
export function registerAuditRoutes(
  app: FastifyInstance,
  { authenticator, clients }: { readonly authenticator: Authenticator; readonly clients: Clients },
): void {
  const readInput = inputReader(exportAudit);
  app.route({
    method: 'GET',
    url: '/api/audit/export',
    config: { operation: exportAudit },
    onRequest: authorize(authenticator, exportAudit.permissions),
    handler: async (request, reply) => {
      const { identity, params, query } = request;
      requireUnlimited(callerOf(identity), exportAudit);
      const input = readInput({ params, query, body: undefined, ifMatch: undefined });
      const { output, bytes } = await clients.events.download('audit.export', parseInput(exportAudit.input, input), {
        caller: { ...callerOf(identity), sender: senderOf(identity, request) },
        requestId: request.id,
        trace: request.trace,
      });
      // The number for a progress bar: the length in bytes is not known.
      return reply.header('x-entries', output.entries).type(JSON_LINES).send(bytes);
    },
  });

  let keys: Promise<unknown> | undefined;
  app.get(PUBLIC_KEYS, async (request, reply) => {
    keys ??= clients.events.call('audit.keys', {}, { requestId: request.id });
    const asked = keys;
    try {
      const answer = await asked;
      setTimeout(() => (keys = keys === asked ? undefined : keys), KEYS_FOR_MS).unref();
      return await reply.header('cache-control', 'public, max-age=60').type('application/jwk-set+json').send(answer);
    } catch (error) {
      if (keys === asked) keys = undefined;
      throw error;
    }
  });
}
