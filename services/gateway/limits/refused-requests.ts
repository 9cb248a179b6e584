import type { KeyObject } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import type { Log } from '@worktrack/rpc/types';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { CountedWindows } from '@worktrack/runtime/redis/counted-windows';
import type { FastifyInstance } from 'fastify';
import { clientOf } from '../http/client-address.ts';
import { tooMany } from '../http/rate-headers.ts';
import { limited } from './limited.ts';

const WINDOW_MS = 60_000;
/** How many clients a gateway knows to be past their window at once; beyond it the first of them are asked again. */
const MAX_CLIENTS = 50_000;

/**
 * Requests of the public that are refused for their shape count in a window of their own per address. Past it, requests from there are refused
 * before their body is parsed. All gateways count together, and each remembers whom it has found past the window, so that
 * whoever keeps to the shape costs no question: another gateway learns of it by the first request that it refuses itself.
 */
export function limitRefusedRequests(
  app: FastifyInstance,
  needs: {
    readonly redis: Redis;
    readonly log: Log;
    /** Below which the requests are. */
    readonly paths: string;
    readonly perAddress: number;
    readonly addressSecret: KeyObject;
  },
): void {
  const { paths, perAddress, addressSecret } = needs;
  const windows = new CountedWindows({ ...needs, name: 'refused requests', windowMs: WINDOW_MS });
  const pastUntilMs = new Map<string, number>();

  app.addHook('onRequest', (request, _reply, done) => {
    if (pastUntilMs.size === 0 || !request.raw.url?.startsWith(paths)) return done();
    const client = clientOf(request, addressSecret);
    const leftMs = (pastUntilMs.get(client) ?? 0) - performance.now();
    if (leftMs <= 0) {
      pastUntilMs.delete(client);
      return done();
    }
    limited.inc({ limit: 'refused-requests' });
    done(tooMany('Too many requests from your address were refused for their shape.', leftMs));
  });

  app.addHook('onError', async (request, _reply, error) => {
    if (!request.raw.url?.startsWith(paths) || !isOfShape(error)) return;
    const client = clientOf(request, addressSecret);
    const { count, resetMs } = await windows.count(client);
    if (count < perAddress) return;
    if (pastUntilMs.size >= MAX_CLIENTS) pastUntilMs.clear();
    pastUntilMs.set(client, performance.now() + resetMs);
  });
}

/** Ours, or Fastify's own about a body: too large, of another type, of another length than it says. */
function isOfShape(error: Error & { readonly statusCode?: number }): boolean {
  if (error instanceof OperationError) return error.code === 'VALIDATION_FAILED';
  return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500;
}
