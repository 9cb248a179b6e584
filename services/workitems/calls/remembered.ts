import { isDeepStrictEqual } from 'node:util';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import type { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import { LRUCache } from 'lru-cache';
import type { WriteScope } from './scope.ts';
import { exists } from './within.repository.ts';

const MAX_REMEMBERED = 10_000;

/** Orders this process's reads: one that began at a later number than another ended saw all that the other saw. */
let clock = 0;

interface Known<Record> {
  readonly record: Record;
  readonly begunAt: number;
  readonly endedAt: number;
}

/**
 * Records as this process last read them, for writes that check them against a version in the database: an outdated one makes the write run
 * again, with the current record. Not for plain reads.
 */
export class Remembered<Record extends object> {
  readonly #records = new LRUCache<string, Known<Record>>({ max: MAX_REMEMBERED });
  readonly #projectOf: (record: Record) => string;
  readonly #read: (scope: WriteScope, id: string) => Promise<Record | null>;

  constructor(read: (scope: WriteScope, id: string) => Promise<Record | null>, projectOf: (record: Record) => string) {
    this.#projectOf = projectOf;
    this.#read = read;
  }

  async get(scope: WriteScope, id: string): Promise<Record | null> {
    // A transaction reads from a snapshot, which may be older than the remembered record.
    if (scope.tx) return this.#read(scope, id);
    return (await this.known(scope, id))?.record ?? null;
  }

  /** @param since only if it was read after this, else it is read again */
  async known(scope: WriteScope, id: string, since = 0): Promise<Known<Record> | null> {
    const key = `${scope.caller.organizationId}:${id}`;
    scope.writes.afterwards((outcome) => {
      if (outcome === 'stale') this.#records.delete(key);
    });
    const known = this.#records.get(key);
    // It may have been read for a caller for whom more exists.
    if (known && !exists(scope.caller, this.#projectOf(known.record))) return null;
    if (known && known.begunAt >= since) {
      scope.writes.tookFromMemory(async () => !isDeepStrictEqual(await this.#read(scope, id), known.record));
      return known;
    }
    const begunAt = ++clock;
    const record = await this.#read(scope, id);
    if (!record) return null;
    const read = { record, begunAt, endedAt: ++clock };
    this.#records.set(key, read);
    return read;
  }
}

/**
 * For records whose changes raise the version of others, which is what writes check: a project, and its boards. That says something only if the project was read after the
 * board. One that is remembered from before, beside a board that was read again since, is outdated, and nothing in the database would refuse it.
 */
export class RememberedUnder<Record extends object> {
  readonly #remembered: Remembered<Record>;
  /** By write set, and so for one attempt of a write. */
  readonly #taken = new WeakMap<WriteSet, Map<string, Taken<Record>>>();

  constructor(remembered: Remembered<Record>) {
    this.#remembered = remembered;
  }

  async get(scope: WriteScope, id: string): Promise<Record | null> {
    if (scope.tx) return this.#remembered.get(scope, id);
    const taken = this.#takenBy(scope, id);
    taken.known = (await this.#remembered.known(scope, id, taken.versionReadAt)) ?? undefined;
    return taken.known?.record ?? null;
  }

  /** @throws Stale if it has changed since the write took it @param versionReadAt when what has its version had been read */
  async readAfter(scope: WriteScope, id: string, versionReadAt: number): Promise<void> {
    const taken = this.#takenBy(scope, id);
    const before = taken.known;
    taken.versionReadAt = Math.max(taken.versionReadAt, versionReadAt);
    if (!before || before.begunAt >= taken.versionReadAt) return;
    if (!isDeepStrictEqual(await this.get(scope, id), before.record)) throw new Stale();
  }

  #takenBy({ writes }: WriteScope, id: string): Taken<Record> {
    const ofWrite = this.#taken.get(writes) ?? new Map<string, Taken<Record>>();
    this.#taken.set(writes, ofWrite);
    const taken = ofWrite.get(id) ?? { versionReadAt: 0, known: undefined };
    ofWrite.set(id, taken);
    return taken;
  }
}

interface Taken<Record> {
  versionReadAt: number;
  known: Known<Record> | undefined;
}
