import { OperationError } from '@worktrack/contracts/errors';
import type { onRequestHookHandler } from 'fastify';
import { isLoopbackName } from '../http/loopback.ts';

const MAX_ECHOED_LENGTH = 200;

/**
 * Refuses requests from pages of other sites, which browsers mark with `Origin`; clients that are no browsers send none. Our own pages are the configured ones,
 * and those on this machine that talk to a gateway on this machine. The page is on this machine if its origin is loopback; the gateway, if the connection's
 * address is, and not by the `Host` header, which DNS rebinding forges.
 */
export function refuseForeignOrigins(allowedOrigins: ReadonlySet<string>): onRequestHookHandler {
  return (request, _reply, done) => {
    const { origin } = request.headers;
    if (
      origin === undefined ||
      allowedOrigins.has(origin) ||
      (isLoopback(origin) && isLocal(request.raw.socket.localAddress))
    ) {
      done();
      return;
    }
    done(
      new OperationError(
        'ORIGIN_NOT_ALLOWED',
        `Requests from pages of ${origin.slice(0, MAX_ECHOED_LENGTH)} are not accepted here.`,
      ),
    );
  };
}

function isLoopback(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackName(new URL(origin).hostname);
}

function isLocal(address: string | undefined): boolean {
  return (
    address !== undefined && (address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.'))
  );
}
