import type { FastifyInstance } from 'fastify';

/**
 * Closes each connection after the response that was in progress when the shutdown began. Closing the server ends only idle ones,
 * and a kept-alive one would delay the shutdown until its timeout.
 */
export function endConnectionsAtStop(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', (done) => {
    stopping = true;
    done();
  });
  app.addHook('onResponse', (_request, _reply, done) => {
    // Idle only once Node has finished with this response.
    if (stopping) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
}
