import type { Identity } from '@worktrack/contracts/keys/identity';
import type { Access } from '@worktrack/contracts/operation';
import type { KeyRateState } from '@worktrack/runtime/redis/identity-cache';
import type { FastifyInstance, FastifyReply, onRequestAsyncHookHandler } from 'fastify';
import { rateHeaders, tooMany } from '../http/rate-headers.ts';
import { limited } from '../limits/limited.ts';
import type { Authenticator } from './authenticate.ts';
import { requireOwnPage } from './own-page.ts';
import { requirePermissions } from './permissions.ts';
import { sessionTokenOf } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whom the API key or the session speaks for; on routes that require one. */
    identity: Identity;
  }
}

export function decorateRequests(app: FastifyInstance): void {
  // A slot of the final shape, so that setting it later does not change the object's hidden class.
  app.decorateRequest('identity', null as unknown as Identity);
}

/**
 * For a route's `onRequest`: who is asking and whether they may is settled before a byte of the body is read.
 * @param takes by default also the cookie of a console session, if there is no `Authorization`
 */
export function authorize(
  authenticator: Authenticator,
  access: Access,
  takes: 'key' | 'key-or-session' = 'key-or-session',
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const { authorization } = request.headers;
    const token = takes === 'key' || authorization !== undefined ? undefined : sessionTokenOf(request);
    if (token !== undefined) requireOwnPage(request);
    const { identity, rate } =
      token === undefined
        ? await authenticator.authenticate(authorization, request)
        : await authenticator.authenticateSession(token, request);
    request.identity = identity;
    if (rate) requireRate(rate, reply);
    requirePermissions(identity, access);
  };
}

/** Every answer says how much of its rate a key has left. @throws OperationError RATE_LIMITED */
export function requireRate({ limit, windowMs, count, resetMs }: KeyRateState, reply: FastifyReply): void {
  reply.headers(rateHeaders([{ name: 'key', limit, windowMs, remaining: Math.max(0, limit - count), resetMs }]));
  if (count <= limit) return;
  limited.inc({ limit: 'key-rate' });
  throw tooMany(`This API key may make ${limit} requests in ${windowMs / 1_000} s.`, resetMs);
}
