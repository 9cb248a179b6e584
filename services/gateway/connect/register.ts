import type { KeyObject } from 'node:crypto';
import { MAX_PARAMETER_LENGTH, MAX_REDIRECT_URIS } from '@worktrack/contracts/keys/oauth';
import type { Log } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { CountedWindows } from '@worktrack/runtime/redis/counted-windows';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clients } from '../clients.ts';
import { PUBLIC_BODY_LIMIT_BYTES } from '../http/body/body-limit.ts';
import { clientOf } from '../http/client-address.ts';
import { JSON_TYPE } from '../http/envelope.ts';
import { tooMany } from '../http/rate-headers.ts';
import { limited } from '../limits/limited.ts';
import { OAuthFailure, oauthFailureBody, refuse } from '../oauth/failure.ts';
import { forPages } from './cors.ts';

const HOUR_MS = 60 * 60_000;

/** What is used of a client's metadata (RFC 7591, 2). The rest is its own business, and is not answered. */
const Metadata = z.object({
  redirect_uris: z.array(z.string().max(MAX_PARAMETER_LENGTH)).min(1).max(MAX_REDIRECT_URIS),
  client_name: z.string().max(MAX_PARAMETER_LENGTH).optional().catch(undefined),
  client_uri: z.string().max(MAX_PARAMETER_LENGTH).optional().catch(undefined),
});

/** For clients that have no document of their own: at most so many an hour and address, since each is remembered for a day. */
export function registerRegistration(
  app: FastifyInstance,
  needs: {
    readonly clients: Pick<Clients, 'keys'>;
    readonly redis: Redis;
    readonly log: Log;
    readonly registrationsPerAddress: number;
    readonly addressSecret: KeyObject;
  },
): void {
  const { registrationsPerAddress, addressSecret } = needs;
  const windows = new CountedWindows({ ...needs, name: 'client registrations', windowMs: HOUR_MS });
  app.register(async (own) => {
    forPages(own);
    own.addHook('onRequest', async (request) => {
      if (request.method !== 'POST') return;
      const { count, resetMs } = await windows.count(clientOf(request, addressSecret));
      if (count <= registrationsPerAddress) return;
      limited.inc({ limit: 'client-registrations' });
      throw tooMany('Too many clients were registered from your address.', resetMs);
    });
    own.route({
      method: 'POST',
      url: '/connect/register',
      bodyLimit: PUBLIC_BODY_LIMIT_BYTES,
      config: { failureBody: oauthFailureBody },
      handler: async (request, reply) => {
        reply.header('content-type', JSON_TYPE);
        try {
          const registered = await register(request, needs.clients);
          return reply.code(201).send(JSON.stringify(registered));
        } catch (error) {
          if (!(error instanceof OAuthFailure)) throw error;
          return refuse(error, request, reply);
        }
      },
    });
  });
}

async function register(request: FastifyRequest, clients: Pick<Clients, 'keys'>): Promise<object> {
  const parsed = Metadata.safeParse(request.body);
  if (!parsed.success) {
    throw new OAuthFailure(
      'invalid_client_metadata',
      `Send JSON with redirect_uris: 1 to ${MAX_REDIRECT_URIS} addresses that a code may be sent to.`,
    );
  }
  const { redirect_uris: redirectUris, client_name: name, client_uri: uri } = parsed.data;
  const answer = await clients.keys.call(
    'connections.register',
    { redirectUris, name, uri },
    { requestId: request.id, trace: request.trace, idempotencyKey: uuidv7() },
  );
  if (answer.outcome === 'refused') {
    throw new OAuthFailure(
      'invalid_redirect_uri',
      'Each of redirect_uris must be an https address, one of http on the loopback interface, or one with a scheme of your own; without a fragment.',
    );
  }
  return {
    client_id: answer.id,
    client_id_issued_at: Math.floor(Date.parse(answer.createdAt) / 1_000),
    client_name: answer.name,
    redirect_uris: redirectUris,
    // Whatever it has asked for: a secret in a program that everybody has is none.
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}
