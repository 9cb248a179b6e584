import type { FastifyInstance, FastifyReply } from 'fastify';
import { routePath } from '../http/route-path.ts';

export const PUBLIC_PATHS = '/feedback/';
/** Two hours: the most that Chromium accepts. */
const PREFLIGHT_MAX_AGE_SECONDS = 7_200;
const ALLOWED_HEADERS = 'Content-Type, Idempotency-Key, X-Request-Id';
const EXPOSED_HEADERS = 'Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Idempotency-Replayed';
/** What may be echoed in a header. A browser's origin never contains anything else. */
const REPEATABLE = /^[\x21-\x7e]{1,300}$/;

/**
 * CORS for the public endpoints. Every origin may read every response, especially refusals: a page has to be able to say why. What
 * protects a source is the origin check, not hiding the response. The exact origin is echoed, and no cookies are accepted.
 */
export function answerCrossOrigin(app: FastifyInstance): void {
  // On the application itself, so that it also covers unknown paths and methods, and bodies that are not read.
  app.addHook('onRequest', (request, reply, done) => {
    if (routePath(request).startsWith(PUBLIC_PATHS)) {
      reply.header('vary', 'Origin');
      const { origin } = request.headers;
      if (origin !== undefined && REPEATABLE.test(origin)) {
        reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS });
      }
    }
    done();
  });
}

/** Answers a path's preflight request. */
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
