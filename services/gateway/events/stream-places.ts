import { OperationError } from '@worktrack/contracts/errors';
import type { Log } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { RedisFallback } from '@worktrack/runtime/redis/fallback';
import { limited } from '../limits/limited.ts';

/** Streams of one key that are open at once, across all gateways. */
const MAX_STREAMS_PER_KEY = 20;
const RENEW_EVERY_MS = 5_000;
/** The places of a gateway that died are released after this. */
const HELD_FOR_MS = 15_000;
const RETRY_AFTER_SECONDS = 5;

/** KEYS: the places of a key, by expiry. ARGV: the place, the limit, for how long. @returns whether there was one */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) and not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`;

const nameOf = (keyId: string) => `wt:streams:${keyId}`;

/** Counts the open streams of each key. While Redis is unavailable, each gateway counts its own. */
export class StreamPlaces {
  readonly #redis: Redis;
  readonly #log: Log;
  readonly #fallback: RedisFallback;
  /** This gateway's, by key. */
  readonly #places = new Map<string, Set<string>>();
  readonly #renewal: NodeJS.Timeout;

  constructor(redis: Redis, log: Log) {
    this.#redis = redis;
    this.#log = log;
    this.#fallback = new RedisFallback('event streams', log);
    this.#renewal = setInterval(() => this.#renew(), RENEW_EVERY_MS).unref();
  }

  /** @returns a function that releases it. @throws OperationError RATE_LIMITED */
  async take(keyId: string): Promise<() => void> {
    const place = uuidv7();
    const mine = this.#places.get(keyId) ?? new Set();
    this.#places.set(keyId, mine);
    // Before waiting for anything, so that concurrent ones see each other.
    mine.add(place);
    const isFree = await this.#fallback.run(
      () => this.#hold(keyId, place, MAX_STREAMS_PER_KEY),
      () => mine.size <= MAX_STREAMS_PER_KEY,
    );
    if (isFree) return () => this.#giveBack(keyId, place);
    this.#giveBack(keyId, place);
    limited.inc({ limit: 'event-streams' });
    throw new OperationError(
      'RATE_LIMITED',
      `This key already has ${MAX_STREAMS_PER_KEY} event streams open. Close one, or give each program its own key.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  }

  stop(): void {
    clearInterval(this.#renewal);
  }

  async #hold(keyId: string, place: string, limit: number): Promise<boolean> {
    return (await this.#redis.eval(TAKE, 1, nameOf(keyId), place, limit, HELD_FOR_MS)) === 1;
  }

  #renew(): void {
    for (const [keyId, places] of this.#places) {
      // Without a limit: they are open, even if Redis has forgotten them.
      for (const place of places) this.#inBackground(this.#hold(keyId, place, Number.MAX_SAFE_INTEGER));
    }
  }

  #giveBack(keyId: string, place: string): void {
    const places = this.#places.get(keyId);
    if (!places?.delete(place)) return;
    if (places.size === 0) this.#places.delete(keyId);
    this.#inBackground(this.#redis.zrem(nameOf(keyId), place));
  }

  #inBackground(command: Promise<unknown>): void {
    command.catch((error) => this.#log.debug({ error }, 'The places of event streams could not be recorded'));
  }
}
