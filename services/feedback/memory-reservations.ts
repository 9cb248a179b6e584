/** Beyond it the oldest are forgotten. */
const MAX_RESERVATIONS = 100_000;

/** Keys with a holder and an end, in this process's memory, for while Redis is unavailable. */
export class MemoryReservations {
  readonly #held = new Map<string, { readonly holder: string; readonly endMs: number }>();

  /** As `SET … NX GET`: @returns who held it before, or null when it was free and now is `holder`'s */
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
