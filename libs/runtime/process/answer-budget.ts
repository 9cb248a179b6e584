/** Well below the RPC limit for a result (8 MiB, libs/rpc): whatever it contains besides its lists has smaller limits of its own. */
const LISTS_BYTES = 6 * 1024 * 1024;

/** Distributes the bytes of a result among its lists, so that no result grows without bound. The most important lists come first. */
export class AnswerBudget {
  #leftBytes: number;
  #isTruncated = false;

  /** @param bytes of JSON, for all lists together */
  constructor(bytes = LISTS_BYTES) {
    this.#leftBytes = bytes;
  }

  /** Whether anything has been left out so far. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** @returns the leading items that fit into what is left */
  take<T>(items: readonly T[]): T[] {
    const taken: T[] = [];
    for (const item of items) {
      const bytes = Buffer.byteLength(JSON.stringify(item) ?? '') + 1;
      if (bytes > this.#leftBytes) {
        this.#isTruncated = true;
        break;
      }
      this.#leftBytes -= bytes;
      taken.push(item);
    }
    return taken;
  }
}
