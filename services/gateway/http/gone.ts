import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when shutdown starts: anything that may take long must end. */
    readonly stopping: AbortSignal;
  }
}

export function tellOfStop(app: FastifyInstance): void {
  const stopping = new AbortController();
  app.decorate('stopping', stopping.signal);
  app.addHook('preClose', (done) => {
    stopping.abort();
    done();
  });
  // Closing the server ends only idle connections, and a kept-alive one would delay the shutdown until its timeout.
  app.addHook('onResponse', (_request, _reply, done) => {
    // Idle only once Node has finished with this response.
    if (stopping.signal.aborted) setImmediate(() => app.server.closeIdleConnections());
    done();
  });
}

/** Aborted when there is nobody to answer any more: the client has closed its connection, or this gateway is stopping. */
export function goneSignal({
  raw,
  server: { stopping },
}: FastifyReply & { readonly server: FastifyInstance }): AbortSignal {
  const left = new AbortController();
  if (raw.closed) left.abort();
  raw.once('close', () => {
    if (!raw.writableFinished) left.abort();
  });
  return AbortSignal.any([left.signal, stopping]);
}
