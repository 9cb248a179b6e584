import type { FastifyRequest } from 'fastify';

/** The version-traceid-parentid-flags of W3C Trace Context, level 1. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export function traceparentOf(request: FastifyRequest): string | undefined {
  const given = request.headers.traceparent;
  return typeof given === 'string' && TRACEPARENT.test(given) ? given : undefined;
}
