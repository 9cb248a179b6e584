import type { Identity } from '@worktrack/contracts/keys/identity';
import type { Resource } from '@worktrack/contracts/keys/records';
import type { Access } from '@worktrack/contracts/operation';
import type { Permission } from '@worktrack/contracts/permissions';
import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { quotable } from '../http/quotable.ts';
import type { Authenticator } from '../identity/authenticate.ts';
import { requireRate } from '../identity/authorize.ts';
import { type BaseUrl, baseOf, metadataAddress } from './addresses.ts';
import { scopesOf } from './metadata.ts';
import type { ConnectionSteps } from './steps.ts';

/** For a route's `onRequest`, like `authorize`: takes the access tokens of connected apps that are good for this resource, and nothing else. */
export function byApp(
  authenticator: Authenticator,
  resource: Resource,
  steps: ConnectionSteps,
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    const { authorization } = request.headers;
    if (authorization === undefined) steps.lookedUp(request, null);
    const { identity, rate } = await authenticator.authenticateApp(authorization, resource, request);
    request.identity = identity;
    if (rate) requireRate(rate, reply);
  };
}

/** Whoever comes without a token that is good here is told where to get one, and what to ask for (RFC 9728, 5.1; RFC 6750, 3). @param headers of any 401 */
export function withChallenge(
  headers: Record<string, string>,
  resource: Resource,
  request: FastifyRequest,
  baseUrl: BaseUrl,
): Record<string, string> {
  const { 'www-authenticate': challenge } = headers;
  if (challenge === undefined) return headers;
  const where = metadataAddress(baseOf(request, baseUrl), resource);
  return {
    ...headers,
    'www-authenticate': `${challenge}, resource_metadata="${where}", scope="${scopesOf(resource).join(' ')}"`,
  };
}

/**
 * The permissions that a call of a tool lacks although the app's user could give them: all of them, so that the user is asked once. If the user lacks some as well, asking
 * would help nobody.
 * @param accessOf what a tool needs, by its name
 */
export function missingScopes(
  message: unknown,
  { permissions, grant }: Identity,
  accessOf: (tool: string) => Access | undefined,
): readonly Permission[] {
  if (!grant) return [];
  const { method, params } = (message ?? {}) as {
    readonly method?: unknown;
    readonly params?: { readonly name?: unknown };
  };
  const name = method === 'tools/call' ? params?.name : undefined;
  const needed = typeof name === 'string' ? accessOf(name) : undefined;
  if (!needed || needed === 'internal') return [];
  const missing = needed.filter((permission) => !permissions.includes(permission));
  const isForUser = grant.resource === 'connect' && missing.every((each) => grant.grantable.includes(each));
  return isForUser ? missing : [];
}

/** RFC 6750, 3.1. */
export function stepUpHeaders(
  missing: readonly Permission[],
  request: FastifyRequest,
  baseUrl: BaseUrl,
): Record<string, string> {
  const where = metadataAddress(baseOf(request, baseUrl), 'connect');
  const words = quotable(`This app has not been allowed ${missing.join(' and ')}. Connect it again and allow it.`);
  return {
    'www-authenticate': `Bearer realm="worktrack", error="insufficient_scope", scope="${missing.join(' ')}", error_description="${words}", resource_metadata="${where}"`,
  };
}
