import { OperationError } from '@worktrack/contracts/errors';
import type { FastifyInstance, HTTPMethods } from 'fastify';

/** HEAD comes with every GET. */
const METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Answers the methods that a path does not have with 405 and `Allow` (RFC 9110, 15.5.6), and OPTIONS with `Allow`.
 * @returns what is to be called when all routes are registered
 */
export function answerOtherMethods(app: FastifyInstance): () => void {
  const routes = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = routes.get(url) ?? new Set<string>();
    for (const one of [method].flat()) methods.add(one);
    routes.set(url, methods);
  });
  return () => {
    for (const [url, methods] of [...routes]) {
      if (url === '*' || url.endsWith('/*')) continue;
      const allow = [...methods].filter((method) => method !== 'OPTIONS').join(', ');
      const others = METHODS.filter((method) => !methods.has(method));
      app.route({
        url,
        method: others,
        exposeHeadRoute: false,
        // Before the body is read: nobody is interested in it.
        onRequest: (request, reply, done) => {
          reply.header('allow', allow);
          done(new OperationError('METHOD_NOT_ALLOWED', `This path takes ${allow}, not ${request.method}.`));
        },
        handler: () => {},
      });
      if (!methods.has('OPTIONS')) {
        app.options(url, (_request, reply) => reply.code(204).header('allow', allow).send());
      }
    }
  };
}
