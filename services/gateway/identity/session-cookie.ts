import { SESSION_HOURS } from '@worktrack/contracts/keys/sessions';
import type { FastifyRequest } from 'fastify';
import { isLoopbackName } from '../http/loopback.ts';

/** For pages over HTTPS: `__Host-` makes browsers refuse it from any other host, from a subdomain and without `Secure` (RFC 6265bis, 4.1.3.2). */
const SECURE_NAME = '__Host-worktrack-session';
const SHARED = 'Path=/; HttpOnly; SameSite=Strict';
const MAX_AGE_SECONDS = SESSION_HOURS * 60 * 60;

type Request = Pick<FastifyRequest, 'headers' | 'host' | 'hostname' | 'port' | 'protocol'>;

/** Where the requesting page was loaded from, as far as the cookie depends on it. */
interface Page {
  readonly isSecure: boolean;
  readonly isLoopback: boolean;
}

/** @returns the session's token, if the browser sent one */
export function sessionTokenOf(request: Request): string | undefined {
  const { cookie } = request.headers;
  if (cookie === undefined) return undefined;
  const secure = cookieIn(cookie, SECURE_NAME);
  if (secure !== undefined) return secure;
  // Otherwise a subdomain, or somebody intercepting plain HTTP, could set it.
  return isLoopbackName(request.hostname) ? cookieIn(cookie, plainName(request)) : undefined;
}

/**
 * @param token '' removes the cookie
 * @returns undefined if a browser would not keep such a cookie: over plain HTTP, except on the machine itself
 */
export function sessionCookie(request: Request, token: string): string | undefined {
  const { isSecure, isLoopback } = pageOf(request);
  if (!isSecure && !isLoopback) return undefined;
  const name = isSecure ? SECURE_NAME : plainName(request);
  const maxAge = token === '' ? 0 : MAX_AGE_SECONDS;
  return `${name}=${token}; ${SHARED}; Max-Age=${maxAge}${isSecure ? '; Secure' : ''}`;
}

/** Browsers share cookies across the ports of a host, on which several stacks may run. */
function plainName({ port }: Request): string {
  return `worktrack-session-${port ?? 80}`;
}

/** According to the `Origin` that the browser states, which a TLS-terminating proxy leaves unchanged; otherwise according to the request. */
function pageOf({ headers, protocol, hostname }: Request): Page {
  const { origin } = headers;
  const url = origin !== undefined && URL.canParse(origin) ? new URL(origin) : undefined;
  if (!url) return { isSecure: protocol === 'https', isLoopback: isLoopbackName(hostname) };
  return { isSecure: url.protocol === 'https:', isLoopback: isLoopbackName(url.hostname) };
}

function cookieIn(cookies: string, name: string): string | undefined {
  for (const pair of cookies.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}
