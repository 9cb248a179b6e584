import type { KeyObject } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import type { Log } from '@worktrack/rpc/types';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { CountedWindows } from '@worktrack/runtime/redis/counted-windows';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { clientOf } from '../http/client-address.ts';
import { tooMany } from '../http/rate-headers.ts';
import { routePath } from '../http/route-path.ts';
import { limited } from './limited.ts';

const WINDOW_MS = 60_000;
/** How many clients a gateway remembers as over their limit; beyond that, all are forgotten and found again. */
const MAX_CLIENTS = 50_000;

/**
 * Malformed public requests are counted in their own window per address. Beyond the limit, requests from that address are refused before their body is parsed.
 * All gateways count together. Each remembers only the clients that it found over the limit, so that well-formed requests cost no lookup. Another gateway
 * learns of such a client from the first request that it refuses itself.
 */
export function limitRefusedRequests(
  app: FastifyInstance,
  needs: {
    readonly redis: Redis;
    readonly log: Log;
    /** The path prefix of the requests. */
    readonly paths: string;
    readonly perAddress: number;
    readonly addressSecret: KeyObject;
  },
): void {
  const { paths, perAddress, addressSecret } = needs;
  const windows = new CountedWindows({ ...needs, name: 'refused requests', windowMs: WINDOW_MS });
  /** Clients over the limit, each until its window ends. */
  const past = new LRUCache<string, true>({ max: MAX_CLIENTS, ttl: WINDOW_MS });

  app.addHook('onRequest', (request, _reply, done) => {
    if (past.size === 0 || !routePath(request).startsWith(paths)) return done();
    const client = clientOf(request, addressSecret);
    if (!past.get(client)) return done();
    const leftMs = past.getRemainingTTL(client);
    limited.inc({ limit: 'refused-requests' });
    done(tooMany('Too many malformed requests came from your address.', leftMs));
  });

  app.addHook('onError', async (request, _reply, error) => {
    if (!routePath(request).startsWith(paths) || !isOfShape(error)) return;
    const client = clientOf(request, addressSecret);
    const { count, resetMs } = await windows.count(client);
    if (count < perAddress) return;
    past.set(client, true, { ttl: Math.max(1, resetMs) });
  });
}

/** Ours, or Fastify's own about a body: too large, wrong type, or a different length than declared. */
function isOfShape(error: Error & { readonly statusCode?: number }): boolean {
  if (error instanceof OperationError) return error.code === 'VALIDATION_FAILED';
  return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500;
}
