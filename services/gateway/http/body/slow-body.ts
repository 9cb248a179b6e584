import type { FastifyInstance } from 'fastify';

/** A client that takes longer for a body of at most 1 MiB is holding the connection, not sending. */
const BODY_DEADLINE_MS = 20_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Runs while waiting for the body. Stored on the request: a WeakMap with that many entries burdens the garbage collector. */
    bodyTimer: NodeJS.Timeout | undefined;
  }
  interface FastifyContextConfig {
    /** The route reads its body itself, at the sender's pace. */
    readonly streamsBody?: boolean;
  }
}

/**
 * Closes a connection whose request body does not arrive in time. Node's own `requestTimeout` applies to the whole server,
 * and has to allow for uploads.
 */
export function limitSlowBodies(app: FastifyInstance, deadlineMs = BODY_DEADLINE_MS): void {
  app.decorateRequest('bodyTimer', undefined);
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { headers } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (hasBody && !request.routeOptions.config.streamsBody) {
      const end = () => {
        // As Node does for its own timeouts: there is no response to a request that has not arrived.
        request.raw.socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
        request.raw.destroy();
      };
      const timer = setTimeout(end, deadlineMs);
      request.bodyTimer = timer;
      const stop = () => clearTimeout(timer);
      // It has arrived, whatever the call waits for then; or the client has gone.
      payload.once('end', stop).once('close', stop);
    }
    done(null, payload);
  });
  // Refused unread.
  app.addHook('onResponse', (request, _reply, done) => {
    clearTimeout(request.bodyTimer);
    done();
  });
}
