import { OperationError } from '@worktrack/contracts/errors';
import type { FastifyRequest } from 'fastify';

const MAX_ECHOED_LENGTH = 200;

/**
 * Refuses requests that a page of another origin makes a browser send with a session's cookie, or to get one (CSRF and login CSRF). `SameSite=Strict` keeps the
 * cookie from other sites; but pages on subdomains and other ports belong to the same site.
 *
 * Browsers say where a request comes from in `Sec-Fetch-Site` (Fetch Metadata), which no page can change. They send it with every request to an origin over
 * HTTPS or on loopback; anywhere else there are no sessions. `none` is the user's own doing, such as an address that was typed in: enough to read. If the
 * header got lost on the way, `Origin` says the same for writes. Without either, it is not one of our pages.
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

/** A page at `http:` is not one at `https:`; but a proxy may have terminated TLS, so only the host is compared. */
function isOwn(origin: string | undefined, host: string): boolean {
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
