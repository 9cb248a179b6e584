import { isDeepStrictEqual } from 'node:util';
import mongoose from 'mongoose';
import { Stale, type Statement } from './stale.ts';

type Document = mongoose.mongo.Document;
type Model = mongoose.mongo.AnyClientBulkWriteModel<Document>;

/** Names the documents of a write: a mongoose model. */
export interface Collection {
  readonly collection: { readonly name: string };
}

/** Fields by equality. `undefined` would silently widen it, so it is refused. */
export type Filter = Readonly<Record<string, unknown>>;

/** A document, and what a rule has concluded something from in it. */
export interface Ground {
  readonly of: Collection;
  /** Names it by `_id`. */
  readonly filter: Filter;
  /**
   * Incremented by every write that relies on it. The database notices when two transactions write the same, but not when one reads what another writes (write
   * skew).
   */
  readonly counter: string;
}

/** A change to one document. Several of them in one call, or in several calls that share the document, are combined into one. */
export interface Change {
  /** Incremented once, however often it is given. */
  readonly once?: Readonly<Record<string, number>>;
  /** Incremented by the sum. */
  readonly inc?: Readonly<Record<string, number>>;
  /** A later one wins; all that share a document must set the same. */
  readonly set?: Readonly<Record<string, unknown>>;
}

interface ChangeOfOne {
  readonly isShared: boolean;
  readonly namespace: string;
  readonly filter: Filter;
  readonly change: Change;
}

interface Other {
  readonly model: Model;
  /** How many documents it must insert, match or delete; undefined: as many as there are. */
  readonly expected: number | undefined;
  /** What a refusal by a unique index means, for callers that want to know. */
  readonly onDuplicate?: () => Error;
}

/** `stale`: something it relied on is no longer so. `unused`: none of it was stored, for another reason. `unknown`: the database did not say. */
export type CommitOutcome = 'stored' | 'stale' | 'unused' | 'unknown';

/** One operation of the bulk write that carries it out, and what it represents. */
export interface PlannedWrite {
  readonly model: Model;
  readonly expected: number | undefined;
  readonly onDuplicate?: () => Error;
  /** The sets that it is part of. */
  readonly of: readonly WriteSet[];
}

/**
 * Everything that one call writes, gathered by its rule and sent at its end, in one `bulkWrite` across all collections. That is one command instead of one per
 * write, and nothing is held while the rule is still reading.
 *
 * The filters check whether the rule's reading still holds: an `update` or `remove` states in its filter what it relies on (a document's `revision`). A filter
 * that matches nothing makes the call run again from the start: optimistic concurrency control, as in FoundationDB's transactions or with HTTP's `If-Match`. So
 * a rule never waits for another one while something is locked.
 */
export class WriteSet {
  /** All of it has been sent in a transaction whose commit is next: if the reply to that is lost, it may be stored. */
  isSent = false;
  readonly #changes = new Map<string, ChangeOfOne>();
  readonly #others: Other[] = [];
  readonly #exclusiveKeys = new Set<string>();
  readonly #afterwards: ((outcome: CommitOutcome) => void)[] = [];
  readonly #fromMemory: (() => Promise<boolean>)[] = [];

  /** @throws (from the commit) what `onDuplicate` makes, if a unique index refuses the document */
  insert(into: Collection, document: Document, onDuplicate?: () => Error): void {
    const namespace = namespaceOf(into);
    this.#exclusiveKeys.add(keyOf(namespace, document._id));
    this.#others.push({ model: { name: 'insertOne', namespace, document }, expected: 1, onDuplicate });
  }

  /**
   * Like `insert`, and before all other inserts. For a record that makes a repetition recognizable: if the reply to a commit is lost, the same set is sent
   * again, and must be refused because of this record.
   */
  insertFirst(into: Collection, document: Document, onDuplicate: () => Error): void {
    this.insert(into, document, onDuplicate);
    this.#others.unshift(...this.#others.splice(-1));
  }

  /**
   * Claims a value that a unique index lets one document have, or a document that a rule with a transaction of its own writes itself. No other call with the
   * same claim goes into the same transaction or a concurrent one, and the next attempts of such calls take turns. Otherwise they would make each other fail,
   * over and over, while several of them keep coming back.
   */
  claim(of: Collection, value: string): void {
    this.#exclusiveKeys.add(keyOf(namespaceOf(of), value));
  }

  /** Takes back what this set would insert. */
  withdraw(from: Collection, id: string): void {
    const namespace = namespaceOf(from);
    const index = this.#others.findIndex(
      ({ model }) => model.name === 'insertOne' && model.namespace === namespace && String(model.document._id) === id,
    );
    if (index < 0) throw new Error(`Nothing of the id ${id} is to be inserted.`);
    this.#others.splice(index, 1);
    this.#exclusiveKeys.delete(keyOf(namespace, id));
  }

  /**
   * Exactly one document, which nobody else may write meanwhile.
   * @param filter names it by `_id`, and what the rule relies on
   * @throws Stale if the rule has relied on something else in the same document: it has read it twice, and it was changed in between
   */
  update(of: Collection, filter: Filter, change: Change): void {
    this.#change(of, filter, change, false);
  }

  /**
   * The set is stored only if the document is still as the rule has read it.
   * @param kind `shared`: any number of calls may rely on it at once, and add to it. `exclusive`: no other call that writes it goes into the same transaction.
   * For a rule that also relies on something outside the document, which nobody changes without writing the document
   * @param also what all that share it add to it, in one update
   */
  rely(on: Ground, kind: 'shared' | 'exclusive' = 'shared', also: Pick<Change, 'inc' | 'set'> = {}): void {
    this.#change(on.of, on.filter, { ...also, once: { [on.counter]: 1 } }, kind === 'shared');
  }

  /** @param expected how many documents the rule relies on, if it does */
  updateMany(of: Collection, filter: Filter, update: Document | Document[], expected?: number): void {
    this.#others.push({
      model: { name: 'updateMany', namespace: namespaceOf(of), filter: checked(filter), update },
      expected,
    });
  }

  /** Exactly one document. Any earlier changes to it become moot. */
  remove(from: Collection, filter: Filter): void {
    const namespace = namespaceOf(from);
    const key = keyOf(namespace, filter._id);
    requireSame(this.#changes.get(key), filter);
    this.#changes.delete(key);
    this.#exclusiveKeys.add(key);
    this.#others.push({ model: { name: 'deleteOne', namespace, filter: checked(filter) }, expected: 1 });
  }

  removeMany(from: Collection, filter: Filter): void {
    this.#others.push({
      model: { name: 'deleteMany', namespace: namespaceOf(from), filter: checked(filter) },
      expected: undefined,
    });
  }

  /** The rule took something from memory. The commit finds out whether it is out of date; for a refusal, which has none, `isOutdated` does. */
  tookFromMemory(isOutdated: () => Promise<boolean>): void {
    this.#fromMemory.push(isOutdated);
  }

  async reliesOnOutdated(): Promise<boolean> {
    for (const isOutdated of this.#fromMemory) if (await isOutdated()) return true;
    return false;
  }

  /** For things that the rule took or remembers outside the database: notified once, when the outcome of this write is known. */
  afterwards(tell: (outcome: CommitOutcome) => void): void {
    this.#afterwards.push(tell);
  }

  /** Called by whatever commits. */
  conclude(outcome: CommitOutcome): void {
    for (const tell of this.#afterwards.splice(0)) tell(outcome);
  }

  /** Whether it relies on how many documents there are to change: that can hold only if no other set adds or removes any of them. */
  get reliesOnCount(): boolean {
    return this.#others.some(({ model, expected }) => model.name === 'updateMany' && expected !== undefined);
  }

  /** Number of operations, for limiting what goes into one transaction. */
  get size(): number {
    return this.#changes.size + this.#others.length;
  }

  /** Documents that nobody else may write in the same transaction, and what only one of them may have. */
  get exclusiveKeys(): ReadonlySet<string> {
    return this.#exclusiveKeys;
  }

  /** Documents that others may change too, by key, and what this set relies on in them. */
  *shared(): Iterable<[key: string, filter: Filter]> {
    for (const [key, { isShared, filter }] of this.#changes) if (isShared) yield [key, filter];
  }

  /** Whether it relies on all of this in one document. */
  states({ namespace, filter }: Statement): boolean {
    const mine = this.#changes.get(keyOf(namespace, filter._id))?.filter;
    return mine !== undefined && Object.keys(filter).every((field) => isDeepStrictEqual(mine[field], filter[field]));
  }

  /** The operations of several sets as one bulk write. */
  static plan(sets: readonly WriteSet[]): PlannedWrite[] {
    const changes = new Map<string, { change: ChangeOfOne; of: WriteSet[] }>();
    for (const set of sets) {
      for (const [key, change] of set.#changes) {
        const before = changes.get(key);
        if (!before) changes.set(key, { change, of: [set] });
        else {
          before.change = combined(before.change, change);
          before.of.push(set);
        }
      }
    }
    const others = sets.flatMap((set) => set.#others.map((other) => ({ ...other, of: [set] })));
    const changesMany = ({ model }: Other) => model.name === 'updateMany';
    return [
      // First: what changes many documents may affect these too, and its filters describe how they were before.
      ...[...changes.values()].map(({ change, of }) => ({ model: updateOf(change), expected: 1, of })),
      ...others.filter((other) => !changesMany(other)),
      // Last, since they may change documents that the set inserts.
      ...others.filter(changesMany),
    ];
  }

  #change(of: Collection, filter: Filter, change: Change, isShared: boolean): void {
    const namespace = namespaceOf(of);
    const key = keyOf(namespace, filter._id);
    const mine = this.#changes.get(key);
    requireSame(mine, filter);
    const added = { isShared, namespace, filter: checked(filter), change };
    const whole = mine ? combined(mine, added) : added;
    this.#changes.set(key, whole);
    if (!whole.isShared) this.#exclusiveKeys.add(key);
  }
}

/** What a write states once must hold for all that the rule concluded from the document, the first time and the last. */
function requireSame(before: ChangeOfOne | undefined, filter: Filter): void {
  if (!before) return;
  for (const [field, value] of Object.entries(filter)) {
    if (field in before.filter && !isDeepStrictEqual(before.filter[field], value)) throw new Stale();
  }
}

function updateOf({ namespace, filter, change }: ChangeOfOne): Model {
  const inc = { ...change.inc, ...change.once };
  return {
    name: 'updateOne',
    namespace,
    filter,
    update: { ...(Object.keys(inc).length > 0 && { $inc: inc }), ...(change.set && { $set: change.set }) },
  };
}

function combined(a: ChangeOfOne, b: ChangeOfOne): ChangeOfOne {
  const inc: Record<string, number> = { ...a.change.inc };
  for (const [field, by] of Object.entries(b.change.inc ?? {})) inc[field] = (inc[field] ?? 0) + by;
  return {
    namespace: a.namespace,
    isShared: a.isShared && b.isShared,
    filter: { ...a.filter, ...b.filter },
    change: {
      inc,
      once: { ...a.change.once, ...b.change.once },
      ...((a.change.set || b.change.set) && { set: { ...a.change.set, ...b.change.set } }),
    },
  };
}

/** For the one database that a process has. */
const namespaceOf = ({ collection }: Collection) => `${mongoose.connection.name}.${collection.name}`;
const keyOf = (namespace: string, id: unknown) => `${namespace}/${String(id)}`;
function checked(filter: Filter): Filter {
  for (const [field, value] of Object.entries(filter)) {
    if (value === undefined) throw new Error(`A write's filter has no value for ${field}.`);
  }
  return filter;
}
