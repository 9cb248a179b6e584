import { SESSION_HOURS } from '@worktrack/contracts/keys/sessions';
import type { FastifyRequest } from 'fastify';
import { isLoopbackName } from '../http/loopback.ts';

/** Of a page over HTTPS: `__Host-` makes browsers refuse it from any other host, from a subdomain and without `Secure` (RFC 6265bis, 4.1.3.2). */
const SECURE_NAME = '__Host-worktrack-session';
const SHARED = 'Path=/; HttpOnly; SameSite=Strict';
const MAX_AGE_SECONDS = SESSION_HOURS * 60 * 60;

type Request = Pick<FastifyRequest, 'headers' | 'host' | 'hostname' | 'port' | 'protocol'>;

/** Where the page that asks was loaded from, as far as the cookie depends on it. */
interface Page {
  readonly isSecure: boolean;
  readonly isLoopback: boolean;
}

/** @returns the token of the session, if the browser has sent one */
export function sessionTokenOf(request: Request): string | undefined {
  const { cookie } = request.headers;
  if (cookie === undefined) return undefined;
  const secure = cookieIn(cookie, SECURE_NAME);
  if (secure !== undefined) return secure;
  // Elsewhere a subdomain, or who listens to plain HTTP, could set it.
  return isLoopbackName(request.hostname) ? cookieIn(cookie, plainName(request)) : undefined;
}

/**
 * @param token '' takes the cookie away
 * @returns undefined where a browser would keep no such cookie: over plain HTTP, but on the machine itself
 */
export function sessionCookie(request: Request, token: string): string | undefined {
  const { isSecure, isLoopback } = pageOf(request);
  if (!isSecure && !isLoopback) return undefined;
  const name = isSecure ? SECURE_NAME : plainName(request);
  const maxAge = token === '' ? 0 : MAX_AGE_SECONDS;
  return `${name}=${token}; ${SHARED}; Max-Age=${maxAge}${isSecure ? '; Secure' : ''}`;
}

/** Browsers share cookies among the ports of a host, on which several stacks may run. */
function plainName({ port }: Request): string {
  return `worktrack-session-${port ?? 80}`;
}

/** By the `Origin` that the browser states, which a proxy that ends TLS leaves as it is; else by the request. */
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
