import type { FastifyInstance } from 'fastify';

const DISCARD_DEADLINE_MS = 20_000;

/**
 * Drains the rest of a request body after the response, for a route that reads its body itself and refused before the end.
 * Node does so only if nobody has started reading; otherwise the rest stays in the connection, and the next request on it waits
 * behind it forever. Closing instead would reset the connection of a client that is still sending, which then never sees the response.
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
