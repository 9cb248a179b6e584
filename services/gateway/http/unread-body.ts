import type { FastifyInstance } from 'fastify';

const DISCARD_DEADLINE_MS = 20_000;

/**
 * Takes what is left of a request body once it is answered, for a route that reads its body itself and refused before its end.
 * Node does so only where nobody has begun to read; else the rest stays in the connection, and the next request on it waits
 * behind that forever. Closing instead would reset the connection of a client that is still sending, which then never sees the answer.
 */
export function discardUnreadBodies(app: FastifyInstance): void {
  app.addHook('onResponse', (request, _reply, done) => {
    const { raw } = request;
    if (request.routeOptions.config.streamsBody && !raw.readableEnded && !raw.destroyed) {
      const timer = setTimeout(() => raw.destroy(), DISCARD_DEADLINE_MS);
      raw.once('close', () => clearTimeout(timer));
      raw.once('end', () => clearTimeout(timer));
      raw.unpipe();
      raw.resume();
    }
    done();
  });
}
