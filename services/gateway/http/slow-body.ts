import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A body of at most 1 MiB that takes longer is a client that holds a connection, not one that sends. */
const BODY_DEADLINE_MS = 20_000;

declare module 'fastify' {
  interface FastifyRequest {
    /** Runs while the body is awaited. On the request: a WeakMap of as many entries is work for the garbage collector. */
    bodyTimer: NodeJS.Timeout | undefined;
  }
  interface FastifyContextConfig {
    /** The route reads its body itself, at the pace of the sender. */
    readonly streamsBody?: boolean;
  }
}

/**
 * Ends a connection whose request body does not arrive in time. Node's own `requestTimeout` is one for the whole server,
 * and has to leave room for uploads.
 */
export function limitSlowBodies(app: FastifyInstance, deadlineMs = BODY_DEADLINE_MS): void {
  app.decorateRequest('bodyTimer', undefined);
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { headers } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (hasBody && !request.routeOptions.config.streamsBody) {
      const end = () => {
        // As Node does for its own time limits: there is no answer to a request that is not there yet.
        request.raw.socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
        request.raw.destroy();
      };
      request.bodyTimer = setTimeout(end, deadlineMs);
    }
    done(null, payload);
  });
  const stop = (request: FastifyRequest) => clearTimeout(request.bodyTimer);
  app.addHook('preValidation', (request, _reply, done) => {
    stop(request);
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    stop(request);
    done();
  });
  app.addHook('onRequestAbort', (request, done) => {
    stop(request);
    done();
  });
}
