import type { KeyObject } from 'node:crypto';
import type { Log } from '@worktrack/rpc/types';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { CountedWindows } from '@worktrack/runtime/redis/counted-windows';
import type { FastifyRequest } from 'fastify';
import { clientOf } from '../http/client-address.ts';
import { tooMany } from '../http/rate-headers.ts';
import { limited } from './limited.ts';

const WINDOW_MS = 60_000;

type Sender = Pick<FastifyRequest, 'ip' | 'socket'>;

/**
 * Well-formed but unknown keys, counted in a window per address: each made-up key costs a call to the keys service, so they
 * must be limited. Counted before the call, so that concurrent ones cannot exceed the limit, and given back for a valid key.
 */
export class UnknownKeys {
  readonly #windows: CountedWindows;
  readonly #perAddress: number;
  readonly #addressSecret: KeyObject;

  constructor(needs: {
    readonly redis: Redis;
    readonly log: Log;
    readonly perAddress: number;
    readonly addressSecret: KeyObject;
  }) {
    this.#windows = new CountedWindows({ ...needs, name: 'unknown keys', windowMs: WINDOW_MS });
    this.#perAddress = needs.perAddress;
    this.#addressSecret = needs.addressSecret;
  }

  /** @throws OperationError RATE_LIMITED */
  async count(sender: Sender): Promise<void> {
    const { count, resetMs } = await this.#windows.count(clientOf(sender, this.#addressSecret));
    if (count <= this.#perAddress) return;
    limited.inc({ limit: 'unknown-keys' });
    throw tooMany('Too many unknown API keys came from your address.', resetMs);
  }

  /** Gives the count back unless the lookup says that the key is unknown. */
  async givingBackIfKnown<T>(sender: Sender, ask: () => Promise<T | null>): Promise<T | null> {
    let isUnknown = false;
    try {
      const verified = await ask();
      isUnknown = verified === null;
      return verified;
    } finally {
      // Not awaited: the next query reaches Redis after it.
      if (!isUnknown) void this.#windows.giveBack(clientOf(sender, this.#addressSecret)).catch(() => undefined);
    }
  }
}
