import type { FastifyInstance } from 'fastify';
import { answerClientError } from '../client-error.ts';

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
        // As for Node's own timeouts: a request that has not arrived has no response yet.
        answerClientError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, request.raw.socket);
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
