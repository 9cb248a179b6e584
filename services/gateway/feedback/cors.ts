import type { FastifyInstance, FastifyReply } from 'fastify';

export const PUBLIC_PATHS = '/feedback/';
/** Two hours: what Chromium takes at most. */
const PREFLIGHT_MAX_AGE_SECONDS = 7_200;
const ALLOWED_HEADERS = 'Content-Type, Idempotency-Key, X-Request-Id';
const EXPOSED_HEADERS = 'Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Idempotency-Replayed';
/** What may be repeated in a header. A browser's origin never holds anything else. */
const REPEATABLE = /^[\x21-\x7e]{1,300}$/;

/**
 * CORS of the public endpoints. Every origin may read every answer, refusals above all: a page has to be able to say why. What
 * protects a source is that its origins are checked, not that the answer is hidden. The exact origin is echoed, and no cookies are taken.
 */
export function answerCrossOrigin(app: FastifyInstance): void {
  // On the application itself, so that it holds for paths and methods that are not there, and for bodies that are not read, too.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.raw.url?.startsWith(PUBLIC_PATHS)) {
      reply.header('vary', 'Origin');
      const { origin } = request.headers;
      if (origin !== undefined && REPEATABLE.test(origin)) {
        reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS });
      }
    }
    done();
  });
}

/** Answers the preflight of a path. */
export function answerPreflight(app: FastifyInstance, path: string, method: 'GET' | 'POST'): void {
  app.options(path, (_request, reply: FastifyReply) =>
    reply
      .code(204)
      .headers({
        allow: method === 'GET' ? 'GET, HEAD' : method,
        'access-control-allow-methods': method,
        'access-control-allow-headers': ALLOWED_HEADERS,
        'access-control-max-age': String(PREFLIGHT_MAX_AGE_SECONDS),
      })
      .send(),
  );
}
