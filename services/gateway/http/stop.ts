import type { FastifyInstance } from 'fastify';

/**
 * Ends each connection with the answer that was under way on it when the stop began. Closing the server ends the idle ones only,
 * and a kept-alive one would hold up the stop until its time limit.
 */
export function endConnectionsAtStop(app: FastifyInstance): void {
  let stopping = false;
  app.addHook('preClose', (done) => {
    stopping = true;
    done();
  });
  app.addHook('onResponse', (_request, _reply, done) => {
    // Idle only once Node is through with this answer.
    if (stopping) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
}
