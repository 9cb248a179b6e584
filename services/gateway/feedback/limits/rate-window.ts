import { LRUCache } from 'lru-cache';

/** A limit that a request counts against. */
export interface RateWindow {
  readonly name: RateState['name'];
  readonly key: string;
  readonly limit: number;
}

/** One limit and how much of it is left after this request. */
export interface RateState {
  /** `ip`: one client at one source. `source`: all clients of one source. */
  readonly name: 'ip' | 'source';
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  /** Time until more of it is available. */
  readonly resetMs: number;
  /** 0: this limit admits the request. Otherwise how long it will not. */
  readonly retryMs: number;
}

/** How many windows a process keeps while Redis is unavailable; beyond that, the least recently used one is dropped. */
const MAX_WINDOWS = 50_000;

/**
 * Sliding windows in process memory, used while Redis is unavailable, by the rule of admission.script.ts. A request is admitted if each of its windows holds
 * fewer than `limit` admitted ones, and only then counted, in all of them.
 */
export class MemoryRateWindows {
  /** When requests were admitted, oldest first, by key. */
  readonly #admitted = new LRUCache<string, number[]>({ max: MAX_WINDOWS });

  count(windows: readonly RateWindow[], windowMs: number, nowMs: number): RateState[] {
    const logs = windows.map(({ key }) => this.#log(key, nowMs - windowMs));
    const admitted = windows.every(({ limit }, i) => (logs[i]?.length ?? 0) < limit);
    return windows.map(({ name, limit }, i) => {
      const log = logs[i] ?? [];
      const nth = log.at(-limit);
      if (admitted) log.push(nowMs);
      return {
        name,
        limit,
        windowMs,
        remaining: Math.max(0, limit - log.length),
        resetMs: (log[0] ?? nowMs) + windowMs - nowMs,
        retryMs: log.length >= limit && !admitted && nth !== undefined ? nth + windowMs - nowMs : 0,
      };
    });
  }

  #log(key: string, olderThanMs: number): number[] {
    const log = this.#admitted.get(key) ?? [];
    const firstInWindow = log.findIndex((atMs) => atMs > olderThanMs);
    log.splice(0, firstInWindow < 0 ? log.length : firstInWindow);
    this.#admitted.set(key, log);
    return log;
  }
}
