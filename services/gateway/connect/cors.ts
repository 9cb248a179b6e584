import type { FastifyInstance } from 'fastify';

const DAY_SECONDS = '86400';

/**
 * Lets pages of any origin ask, for clients that run in a browser: nothing here depends on who the browser is signed in as, and no credentials are allowed. For a
 * context of its own, before its routes.
 */
export function forPages(app: FastifyInstance): void {
  const urls = new Set<string>();
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('access-control-allow-origin', '*');
    done();
  });
  app.addHook('onRoute', ({ url, method }) => {
    if (method === 'OPTIONS' || method === 'HEAD' || urls.has(url)) return;
    urls.add(url);
    app.options(url, (_request, reply) =>
      reply
        .code(204)
        .headers({
          'access-control-allow-methods': `${[method].flat().join(', ')}`,
          // MCP clients send the version of the protocol with everything.
          'access-control-allow-headers': 'content-type, authorization, mcp-protocol-version',
          'access-control-max-age': DAY_SECONDS,
        })
        .send(),
    );
  });
}
