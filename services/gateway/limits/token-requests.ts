import type { KeyObject } from 'node:crypto';
import type { Log } from '@worktrack/rpc/types';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { CountedWindows } from '@worktrack/runtime/redis/counted-windows';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { clientOf } from '../http/client-address.ts';
import { tooMany } from '../http/rate-headers.ts';
import { limited } from './limited.ts';

const WINDOW_MS = 60_000;
/** How many clients a gateway remembers as over their limit. */
const MAX_CLIENTS = 50_000;

/** Requests for tokens per address, on the routes of `app`: each may cost a look-up and a signature. Refused before their body is read. */
export function limitTokenRequests(
  app: FastifyInstance,
  needs: { readonly redis: Redis; readonly log: Log; readonly perAddress: number; readonly addressSecret: KeyObject },
): void {
  const { perAddress, addressSecret } = needs;
  const windows = new CountedWindows({ ...needs, name: 'token requests', windowMs: WINDOW_MS });
  /** Each until its window ends: whoever is over the limit costs no look-up. */
  const past = new LRUCache<string, true>({ max: MAX_CLIENTS, ttl: WINDOW_MS });

  app.addHook('onRequest', async (request) => {
    const client = clientOf(request, addressSecret);
    const remainingMs = past.get(client) ? past.getRemainingTTL(client) : undefined;
    const leftMs = remainingMs ?? (await overBy(client));
    if (leftMs === undefined) return;
    limited.inc({ limit: 'token-requests' });
    throw tooMany('Too many requests for tokens came from your address.', leftMs);
  });

  async function overBy(client: string): Promise<number | undefined> {
    const { count, resetMs } = await windows.count(client);
    if (count <= perAddress) return undefined;
    past.set(client, true, { ttl: Math.max(1, resetMs) });
    return resetMs;
  }
}
