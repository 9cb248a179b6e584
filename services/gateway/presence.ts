import type { Log } from '@worktrack/rpc/types';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { RedisFallback } from '@worktrack/runtime/redis/fallback';

/** How soon whoever still looks says so again. */
export const REPEAT_AFTER_SECONDS = 10;
/** After two repetitions that did not arrive, somebody has left. */
const HELD_FOR_MS = 2.5 * REPEAT_AFTER_SECONDS * 1_000;
const MAX_PEOPLE = 50;

/** KEYS: who looks at an item, by expiry. ARGV: who, for how long, how many to list. @returns them, the last to say so first */
const ANNOUNCE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZREVRANGE', KEYS[1], 0, ARGV[3])
`;

export interface Person {
  readonly id: string;
  readonly name: string;
}

/**
 * Who looks at which work item now, over all gateways. In Redis alone, for it may be lost: nobody decides anything by it, and it is said again
 * every few seconds. No event of the log tells of it: each would be read by everybody in the organization, and the log is kept.
 */
export class Presence {
  readonly #redis: Redis;
  readonly #fallback: RedisFallback;

  constructor(redis: Redis, log: Log) {
    this.#redis = redis;
    this.#fallback = new RedisFallback('presence', log);
  }

  /** @returns who else looks at the item, by name; nobody while Redis is unavailable */
  async announce(organizationId: string, workItemId: string, { id, name }: Person): Promise<Person[]> {
    const key = `wt:presence:${organizationId}:${workItemId}`;
    const found = await this.#fallback.run(
      () => this.#redis.eval(ANNOUNCE, 1, key, JSON.stringify([id, name]), HELD_FOR_MS, MAX_PEOPLE),
      () => [],
    );
    // By id: for a while, somebody who was renamed is there under both names, the new one first.
    const people = new Map<string, Person>();
    for (const member of found as string[]) {
      const [otherId, otherName] = JSON.parse(member) as [string, string];
      if (otherId !== id && !people.has(otherId)) people.set(otherId, { id: otherId, name: otherName });
    }
    return [...people.values()].toSorted((a, b) => a.name.localeCompare(b.name)).slice(0, MAX_PEOPLE);
  }
}
