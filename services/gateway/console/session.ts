import { OperationError } from '@worktrack/contracts/errors';
import { callerOf } from '@worktrack/contracts/keys/identity';
import { isWellFormedKey, SESSION_MARK } from '@worktrack/contracts/keys/key-format';
import type { Log } from '@worktrack/rpc/types';
import { newKey } from '@worktrack/runtime/process/new-key';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { parseInput } from '@worktrack/runtime/validation/parse';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clients } from '../clients.ts';
import { addressOf } from '../http/sender.ts';
import type { Authenticator } from '../identity/authenticate.ts';
import { requireRate } from '../identity/authorize.ts';
import { requireOwnPage } from '../identity/own-page.ts';
import { sessionCookie, sessionTokenOf } from '../identity/session-cookie.ts';

/** A code or a key, and room for what surrounds it. */
const BODY_LIMIT_BYTES = 4_096;
const MAX_CREDENTIAL_LENGTH = 200;

const credential = z.string().min(1).max(MAX_CREDENTIAL_LENGTH);
const SignIn = z
  .strictObject({ code: credential.optional(), apiKey: credential.optional() })
  .refine(({ code, apiKey }) => (code === undefined) !== (apiKey === undefined), 'must hold either code or apiKey');

/** Signing in to the console and out again. The token of a session is in its cookie and nowhere else: no page ever reads it. */
export function registerSession(
  app: FastifyInstance,
  {
    authenticator,
    clients,
    log,
  }: { readonly authenticator: Authenticator; readonly clients: Clients; readonly log: Log },
): void {
  /** Ends the session of the browser, if it has one. */
  async function close(request: FastifyRequest): Promise<void> {
    const token = sessionTokenOf(request);
    const identity = token === undefined ? undefined : await identityOf(token, request, authenticator);
    if (!identity) return;
    const { organizationId, keyId } = callerOf(identity);
    const options = { requestId: request.id, idempotencyKey: uuidv7() };
    await clients.keys.call('sessions.close', { organizationId, id: keyId, from: addressOf(request) }, options);
  }

  app.route({
    method: 'POST',
    url: '/console/session',
    bodyLimit: BODY_LIMIT_BYTES,
    onRequest: async (request) => requireOwnPage(request),
    handler: async (request, reply) => {
      const token = newKey(SESSION_MARK);
      const cookie = sessionCookie(request, token);
      if (cookie === undefined) {
        throw new OperationError(
          'ORIGIN_NOT_ALLOWED',
          'Over plain HTTP, browsers keep a session only on the machine itself. Open the console over HTTPS, or at localhost.',
        );
      }
      const { code, apiKey } = parseInput(SignIn, request.body);
      if (apiKey !== undefined) {
        // Like any request with the key, it counts in the key's rate.
        const verified = await authenticator.authenticate(`Bearer ${apiKey}`, request).catch((error) => {
          // The keys service refuses it too, and knows whether it was a key of an organization, which then has an entry of the try.
          if (!(error instanceof OperationError) || error.code !== 'API_KEY_INVALID' || !isWellFormedKey(apiKey))
            throw error;
        });
        if (verified?.rate) requireRate(verified.rate, reply);
      }
      await authenticator.openSession(token, { code, apiKey }, request);
      // Its browser forgets it with this answer, which must not fail: the code has been used.
      await close(request).catch((error) => log.warn({ error }, 'The session before goes on to its end'));
      return reply.code(204).header('set-cookie', cookie).send();
    },
  });

  app.route({
    method: 'DELETE',
    url: '/console/session',
    onRequest: async (request) => requireOwnPage(request),
    handler: async (request, reply) => {
      await close(request);
      const nothing = sessionCookie(request, '');
      if (nothing !== undefined) reply.header('set-cookie', nothing);
      return reply.code(204).send();
    },
  });
}

/** Somebody who has signed out elsewhere, or was signed out, is signed out here too. */
async function identityOf(
  token: string,
  sender: Parameters<Authenticator['authenticateSession']>[1],
  authenticator: Authenticator,
) {
  try {
    return (await authenticator.authenticateSession(token, sender)).identity;
  } catch (error) {
    if (error instanceof OperationError && error.code === 'API_KEY_INVALID') return undefined;
    throw error;
  }
}
