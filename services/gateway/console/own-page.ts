import { OperationError } from '@worktrack/contracts/errors';
import type { FastifyRequest } from 'fastify';

const MAX_ECHOED_LENGTH = 200;

/**
 * Refuses what a page of another origin makes a browser send with the cookie of a session, or to get one (CSRF and login CSRF). `SameSite=Strict` keeps the
 * cookie from other sites; but pages of subdomains and of other ports are of the same site.
 *
 * Browsers say where a request comes from in `Sec-Fetch-Site` (Fetch Metadata), which no page can change: with every request to an origin over HTTPS or
 * on loopback, and elsewhere there is no session. `none` is the user's own doing, such as an address that was typed: enough to read. Where the
 * header was lost on the way, `Origin` says the same of what writes. Without either it is no page of ours.
 * @throws OperationError ORIGIN_NOT_ALLOWED
 */
export function requireOwnPage(request: Pick<FastifyRequest, 'headers' | 'host' | 'method'>): void {
  const { 'sec-fetch-site': site, origin } = request.headers;
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (site === undefined ? isOwn(origin, request.host) : site === 'same-origin' || (site === 'none' && reads)) return;
  throw new OperationError(
    'ORIGIN_NOT_ALLOWED',
    `A session of the console is for its own pages only. This request came from ${(origin ?? 'elsewhere').slice(0, MAX_ECHOED_LENGTH)}; programs send an API key.`,
  );
}

/** A page of `http:` is not one of `https:`; but a proxy may have ended TLS, so the host alone is compared. */
function isOwn(origin: string | undefined, host: string): boolean {
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
