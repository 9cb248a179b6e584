import type { KeyObject } from 'node:crypto';
import type { Log } from '@worktrack/rpc/types';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { CountedWindows } from '@worktrack/runtime/redis/counted-windows';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { clientNetworkOf, hashAddress } from '../http/client-address.ts';
import { tooMany } from '../http/rate-headers.ts';
import { limited } from './limited.ts';

const WINDOW_MS = 60_000;
/** How many clients a gateway remembers as over their limit. */
const MAX_CLIENTS = 50_000;

interface TokenRequestsNeeds {
  readonly redis: Redis;
  readonly log: Log;
  readonly perAddress: number;
  readonly addressSecret: KeyObject;
}

/** Requests for tokens per address: each may cost a look-up and a signature. */
export class TokenRequests {
  readonly #needs: TokenRequestsNeeds;
  readonly #windows: CountedWindows;
  /** Each until its window ends: whoever is over the limit costs no look-up. */
  readonly #past = new LRUCache<string, true>({ max: MAX_CLIENTS, ttl: WINDOW_MS });

  constructor(needs: TokenRequestsNeeds) {
    this.#needs = needs;
    this.#windows = new CountedWindows({ ...needs, name: 'token requests', windowMs: WINDOW_MS });
  }

  /** On the routes of `app`, whoever is known to be over the limit, before a body is read. */
  refuseKnown(app: FastifyInstance): void {
    app.addHook('onRequest', (request, _reply, done) => {
      if (this.#past.size === 0) return done();
      const network = clientNetworkOf(request);
      done(this.#past.get(network) ? tooManyFrom(this.#past.getRemainingTTL(network)) : undefined);
    });
  }

  /** One more, over all gateways. @throws OperationError RATE_LIMITED */
  async count(request: FastifyRequest): Promise<void> {
    const network = clientNetworkOf(request);
    const { count, resetMs } = await this.#windows.count(hashAddress(network, this.#needs.addressSecret));
    if (count <= this.#needs.perAddress) return;
    this.#past.set(network, true, { ttl: Math.max(1, resetMs) });
    throw tooManyFrom(resetMs);
  }
}

/** On all routes of `app`, before a body is read. */
export function limitTokenRequests(app: FastifyInstance, needs: TokenRequestsNeeds): void {
  const requests = new TokenRequests(needs);
  requests.refuseKnown(app);
  app.addHook('onRequest', (request) => requests.count(request));
}

function tooManyFrom(leftMs: number) {
  limited.inc({ limit: 'token-requests' });
  return tooMany('Too many requests for tokens came from your address.', leftMs);
}
