import type { Log } from '@worktrack/rpc/types';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { RedisFallback } from '@worktrack/runtime/redis/fallback';

/** How soon whoever still looks says so again. */
export const REPEAT_AFTER_SECONDS = 5;
/** After two repetitions that did not arrive, somebody has left. */
const HELD_FOR_MS = 2.4 * REPEAT_AFTER_SECONDS * 1_000;
const MAX_LISTED = 50;

/** KEYS: who looks at an item, by expiry. ARGV: who, for how long, or 0 if no longer, how many to list. @returns them, the last to say so first */
const ANNOUNCE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if ARGV[2] == '0' then
  redis.call('ZREM', KEYS[1], ARGV[1])
else
  redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return redis.call('ZREVRANGE', KEYS[1], 0, ARGV[3])
`;

/**
 * Who looks at which work item now, over all gateways. It is kept in Redis alone and may be lost: nothing is decided by it, and it is reported again every few
 * seconds. The log has no event of it, since everybody in the organization would read each, and the log is kept. Viewers are known by the prefixes of their
 * keys; their users and permissions are looked up when they are shown.
 */
export class Presence {
  readonly #redis: Redis;
  readonly #fallback: RedisFallback;

  constructor(redis: Redis, log: Log) {
    this.#redis = redis;
    this.#fallback = new RedisFallback('presence', log);
  }

  /** @returns the prefixes of the others that look at the item; none while Redis is unavailable */
  async announce(organizationId: string, workItemId: string, prefix: string, isLeaving: boolean): Promise<string[]> {
    const key = `wt:present:${organizationId}:${workItemId}`;
    const found = await this.#fallback.run(
      () => this.#redis.eval(ANNOUNCE, 1, key, prefix, isLeaving ? 0 : HELD_FOR_MS, MAX_LISTED),
      () => [],
    );
    return (found as string[]).filter((other) => other !== prefix).slice(0, MAX_LISTED);
  }
}
