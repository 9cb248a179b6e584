/** Well below what an answer may have over RPC (8 MiB, libs/rpc): what it holds beside its lists has smaller bounds of its own. */
const LISTS_BYTES = 6 * 1024 * 1024;

/** Shares out the bytes of one answer among its lists, so that no answer grows without bound. Lists that matter most come first. */
export class AnswerBudget {
  #leftBytes: number;
  #isTruncated = false;

  /** @param bytes of JSON, for all lists together */
  constructor(bytes = LISTS_BYTES) {
    this.#leftBytes = bytes;
  }

  /** Whether anything was left out so far. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** @returns the items from the first on that fit into what is left */
  take<T>(items: readonly T[]): T[] {
    const taken: T[] = [];
    for (const item of items) {
      const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
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
