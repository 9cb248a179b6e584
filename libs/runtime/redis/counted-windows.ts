import type { Log } from '@worktrack/rpc/types';
import type { Redis } from 'ioredis';
import { RedisFallback } from './fallback.ts';

/** A window's state after one more was counted in it. */
export interface Counted {
  readonly count: number;
  /** Until the window ends and the next one begins empty. */
  readonly resetMs: number;
}

/**
 * Counts in a window of fixed length, which begins with its first count. It stores a number and an end, whatever the limit: the
 * intake's sliding windows store a time per request, which is too much for limits in the thousands.
 * Also part of other scripts, as the function `countIn(key, windowMs)`, which returns count and time left.
 */
export const COUNT_IN_WINDOW = `
local function countIn(key, windowMs)
  local count = redis.call('INCR', key)
  local left = redis.call('PTTL', key)
  if left < 0 then
    redis.call('PEXPIRE', key, windowMs)
    left = tonumber(windowMs)
  end
  return count, left
end
`;

/** KEYS: the window. ARGV: its length. */
export const COUNT = `${COUNT_IN_WINDOW}
return {countIn(KEYS[1], ARGV[1])}
`;

const GIVE_BACK = `
if tonumber(redis.call('GET', KEYS[1]) or 0) > 0 then
  redis.call('DECR', KEYS[1])
end
`;

/** Windows shared by all replicas; while Redis is unavailable, each counts in its own memory. */
export class CountedWindows {
  readonly #redis: ScriptedRedis;
  readonly #fallback: RedisFallback;
  readonly #memory = new MemoryWindows();
  readonly #name: string;
  readonly #windowMs: number;

  /** @param name of the counted thing, used in entry names, the log and the metric */
  constructor(needs: { readonly redis: Redis; readonly log: Log; readonly name: string; readonly windowMs: number }) {
    needs.redis.defineCommand('countInWindow', { lua: COUNT, numberOfKeys: 1 });
    needs.redis.defineCommand('giveBackToWindow', { lua: GIVE_BACK, numberOfKeys: 1 });
    this.#redis = needs.redis as ScriptedRedis;
    this.#fallback = new RedisFallback(needs.name, needs.log);
    this.#name = needs.name.replaceAll(' ', '-');
    this.#windowMs = needs.windowMs;
  }

  /** Counts one more of `key`. */
  count(key: string): Promise<Counted> {
    return this.#fallback.run(
      async () => {
        const [count, resetMs] = await this.#redis.countInWindow(this.#entry(key), this.#windowMs);
        return { count, resetMs };
      },
      () => this.#memory.count(key, this.#windowMs, performance.now()),
    );
  }

  /** Takes back one that turned out not to count. */
  async giveBack(key: string): Promise<void> {
    await this.#fallback.run(
      () => this.#redis.giveBackToWindow(this.#entry(key)),
      () => this.#memory.giveBack(key),
    );
  }

  #entry(key: string): string {
    return `wt:count:${this.#name}:${key}`;
  }
}

/** How many windows a process keeps; beyond that, the oldest is dropped. */
const MAX_WINDOWS = 50_000;

/** The same windows in this process's memory. */
export class MemoryWindows {
  readonly #windows = new Map<string, { count: number; readonly endsAtMs: number }>();

  count(key: string, windowMs: number, nowMs: number): Counted {
    let window = this.#windows.get(key);
    if (!window || window.endsAtMs <= nowMs) {
      this.#windows.delete(key);
      window = { count: 0, endsAtMs: nowMs + windowMs };
      this.#windows.set(key, window);
      this.#forgetOldest();
    }
    window.count++;
    return { count: window.count, resetMs: window.endsAtMs - nowMs };
  }

  giveBack(key: string): void {
    const window = this.#windows.get(key);
    if (window && window.count > 0) window.count--;
  }

  #forgetOldest(): void {
    if (this.#windows.size <= MAX_WINDOWS) return;
    const [oldest] = this.#windows.keys();
    if (oldest !== undefined) this.#windows.delete(oldest);
  }
}

interface ScriptedRedis extends Redis {
  countInWindow(key: string, windowMs: number): Promise<[count: number, resetMs: number]>;
  giveBackToWindow(key: string): Promise<null>;
}
