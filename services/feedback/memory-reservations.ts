/** Beyond this the oldest are dropped. */
const MAX_RESERVATIONS = 100_000;

/** Keys with a holder and an expiry, in process memory, for use while Redis is unavailable. */
export class MemoryReservations {
  readonly #held = new Map<string, { readonly holder: string; readonly endMs: number }>();

  /** Like `SET … NX GET`: @returns who held it before, or null if it was free and is now `holder`'s */
  take(key: string, holder: string, lastsMs: number): string | null {
    const before = this.holderOf(key);
    if (before === undefined) this.set(key, holder, lastsMs);
    return before ?? null;
  }

  holderOf(key: string): string | undefined {
    const held = this.#held.get(key);
    return held && held.endMs > performance.now() ? held.holder : undefined;
  }

  set(key: string, holder: string, lastsMs: number): void {
    this.#held.delete(key);
    this.#held.set(key, { holder, endMs: performance.now() + lastsMs });
    if (this.#held.size > MAX_RESERVATIONS) {
      for (const oldest of this.#held.keys()) {
        this.#held.delete(oldest);
        break;
      }
    }
  }

  release(key: string, holder: string): void {
    if (this.#held.get(key)?.holder === holder) this.#held.delete(key);
  }
}
