import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { WriteScope } from './scope.ts';
import { exists } from './within.repository.ts';

const MAX_REMEMBERED = 10_000;

/**
 * Records as this process last read them, for writes that check them against a version in the database: an outdated one makes the write run
 * again, with the current record. Not for plain reads.
 */
export class Remembered<Record extends object> {
  readonly #records = new LRUCache<string, Record>({ max: MAX_REMEMBERED });
  readonly #projectOf: (record: Record) => string;
  readonly #read: (scope: WriteScope, id: string) => Promise<Record | null>;

  constructor(read: (scope: WriteScope, id: string) => Promise<Record | null>, projectOf: (record: Record) => string) {
    this.#projectOf = projectOf;
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
    // It may have been read for a caller for whom more exists.
    if (known && !exists(scope.caller, this.#projectOf(known))) return null;
    if (known) {
      scope.writes.tookFromMemory(async () => !isDeepStrictEqual(await this.#read(scope, id), known));
      return known;
    }
    const record = await this.#read(scope, id);
    if (record) this.#records.set(key, record);
    return record;
  }
}
