import type { FastifyRequest } from 'fastify';

/**
 * The path of the route that a request goes to. A client can write one path in many ways, percent-encoded or with the host in front (RFC 9112 section
 * 3.2.2), all of which the router understands: what was sent says nothing certain. Where no route answers, it is all there is.
 */
export function routePath({ routeOptions, raw }: FastifyRequest): string {
  return routeOptions.url ?? raw.url ?? '';
}
