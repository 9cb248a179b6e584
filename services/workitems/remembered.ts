import type { WriteScope } from './scope.ts';

const MAX_REMEMBERED = 10_000;

/**
 * Records as this process read them last, for writes that hold them against a version in the database: one that is out of date makes the write run
 * again, with the record as it is. Not for what is only read.
 */
export class Remembered<Record> {
  /** The oldest first. */
  readonly #records = new Map<string, Record>();
  readonly #read: (scope: WriteScope, id: string) => Promise<Record | null>;

  constructor(read: (scope: WriteScope, id: string) => Promise<Record | null>) {
    this.#read = read;
  }

  async get(scope: WriteScope, id: string): Promise<Record | null> {
    // Inside a transaction what is read is of one moment, which may be before what is remembered.
    if (scope.tx) return this.#read(scope, id);
    const key = `${scope.caller.organizationId}:${id}`;
    scope.writes.afterwards((outcome) => {
      if (outcome === 'stale') this.#records.delete(key);
    });
    const known = this.#records.get(key);
    if (known) {
      scope.writes.usesMemory = true;
      return known;
    }
    const record = await this.#read(scope, id);
    if (record) this.#records.set(key, record);
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= MAX_REMEMBERED) break;
      this.#records.delete(oldest);
    }
    return record;
  }
}
