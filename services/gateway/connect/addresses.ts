import { RESOURCES, type Resource } from '@worktrack/contracts/keys/records';
import type { FastifyRequest } from 'fastify';
import { isLoopbackName } from '../http/loopback.ts';

/** Where clients reach the service. */
export type BaseUrl = () => string;

/**
 * The same for the sender of a request. It is always the configured address, except on the machine itself, which has several names: an address with one name
 * would not fit a client that uses another. Nobody can forge that: a page elsewhere that resolves to this machine has a name of its own (DNS rebinding).
 */
export function baseOf(request: Pick<FastifyRequest, 'host' | 'hostname'>, baseUrl: BaseUrl): string {
  const base = baseUrl();
  const { hostname, protocol } = new URL(base);
  return isLoopbackName(hostname) && isLoopbackName(request.hostname) ? `${protocol}//${request.host}` : base;
}

/** Of the authorization server (RFC 8414, 2), of both resources. */
export const issuerAt = (base: string) => `${base}/connect`;

export const addressOf = (base: string, resource: Resource) => `${base}/${resource}`;

/** RFC 9728, 3.1: between the host and the path. @param base may have a path of its own */
export function metadataAddress(base: string, resource: Resource): string {
  const { origin, pathname } = new URL(base);
  return `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}/${resource}`;
}

/**
 * What a client wants tokens for (RFC 8707).
 * @returns undefined if it does not say; 'foreign' if it is nothing of this service, or more than one thing
 */
export function resourceIn(given: readonly string[], base: string): Resource | 'foreign' | undefined {
  const named = given.filter((each) => each !== '');
  if (named.length === 0) return undefined;
  const [first, ...more] = new Set(named.map(canonical));
  if (more.length > 0) return 'foreign';
  return RESOURCES.find((resource) => canonical(addressOf(base, resource)) === first) ?? 'foreign';
}

/** The case of scheme and host, and a slash at the end, do not matter; a query is that of a session on one project. */
function canonical(text: string): string {
  if (!URL.canParse(text)) return text;
  const { origin, pathname, hash } = new URL(text);
  return hash === '' ? `${origin}${pathname.replace(/\/$/, '')}` : text;
}
