import { LRUCache } from 'lru-cache';

/** Beyond this the oldest are dropped. */
const MAX_RESERVATIONS = 100_000;

/** Keys with a holder and an expiry, in process memory, for use while Redis is unavailable. */
export class MemoryReservations {
  readonly #reserved = new LRUCache<string, string>({ max: MAX_RESERVATIONS });

  /** Like the script `take`: @returns who held it before, or null if it was free and is now `holder`'s */
  take(key: string, holder: string, lastsMs: number): string | null {
    const before = this.holderOf(key);
    if (before === undefined) this.set(key, holder, lastsMs);
    return before ?? null;
  }

  holderOf(key: string): string | undefined {
    return this.#reserved.get(key);
  }

  set(key: string, holder: string, lastsMs: number): void {
    this.#reserved.set(key, holder, { ttl: Math.max(1, lastsMs) });
  }

  release(key: string, holder: string): void {
    if (this.#reserved.get(key) === holder) this.#reserved.delete(key);
  }
}
