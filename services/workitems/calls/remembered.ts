import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { WriteScope } from './scope.ts';

const MAX_REMEMBERED = 10_000;

/**
 * Records as this process last read them, for writes that check them against a version in the database: an outdated one makes the write run
 * again, with the current record. Not for plain reads.
 */
export class Remembered<Record extends object> {
  readonly #records = new LRUCache<string, Record>({ max: MAX_REMEMBERED });
  readonly #read: (scope: WriteScope, id: string) => Promise<Record | null>;

  constructor(read: (scope: WriteScope, id: string) => Promise<Record | null>) {
    this.#read = read;
  }

  async get(scope: WriteScope, id: string): Promise<Record | null> {
    // A transaction reads from a snapshot, which may be older than what is remembered.
    if (scope.tx) return this.#read(scope, id);
    const key = `${scope.caller.organizationId}:${id}`;
    scope.writes.afterwards((outcome) => {
      if (outcome === 'stale') this.#records.delete(key);
    });
    const known = this.#records.get(key);
    if (known) {
      scope.writes.tookFromMemory(async () => !isDeepStrictEqual(await this.#read(scope, id), known));
      return known;
    }
    const record = await this.#read(scope, id);
    if (record) this.#records.set(key, record);
    return record;
  }
}
