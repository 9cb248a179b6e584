import type { Identity } from '@worktrack/contracts/keys/identity';
import type { Access } from '@worktrack/contracts/operation';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Authenticator } from '../authenticate.ts';
import { requirePermissions } from '../permissions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whom the API key speaks for; on routes that ask for one. */
    identity: Identity;
  }
}

export function decorateRequests(app: FastifyInstance): void {
  // A slot of the final shape, so that setting it later does not change the object's hidden class.
  app.decorateRequest('identity', null as unknown as Identity);
}

/** For a route's `onRequest`: who asks and whether they may is settled before a byte of the body is read. */
export function authorize(authenticator: Authenticator, access: Access): onRequestAsyncHookHandler {
  return async (request) => {
    const identity = await authenticator.authenticate(request.headers.authorization, request.id);
    requirePermissions(identity, access);
    request.identity = identity;
  };
}

/** The version-traceid-parentid-flags of W3C Trace Context, level 1. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export function traceparentOf(request: FastifyRequest): string | undefined {
  const given = request.headers.traceparent;
  return typeof given === 'string' && TRACEPARENT.test(given) ? given : undefined;
}
