import mongoose from 'mongoose';

type Document = mongoose.mongo.Document;
type Model = mongoose.mongo.AnyClientBulkWriteModel<Document>;

/** What a write names its documents by: a mongoose model. */
export interface Collection {
  readonly collection: { readonly name: string };
}

/** Fields by equality. `undefined` would widen it without a word, so it is refused. */
export type Filter = Readonly<Record<string, unknown>>;

/** A part of an update that several writes of one transaction may share: they are added up to one. */
export interface SharedUpdate {
  /** Counted up once, however many share it. */
  readonly once?: Readonly<Record<string, number>>;
  /** Counted up by the sum. */
  readonly inc?: Readonly<Record<string, number>>;
  /** All who share it must set the same. */
  readonly set?: Readonly<Record<string, unknown>>;
}

interface Exclusive {
  readonly kind: 'exclusive';
  readonly model: Model;
  /** How many documents it must insert, match or delete; undefined: as many as there are. */
  readonly expected: number | undefined;
  /** Of what more a refusal by a unique index means, for who wants to know. */
  readonly onDuplicate: (() => Error) | undefined;
}

interface Shared {
  readonly kind: 'shared';
  readonly namespace: string;
  readonly filter: Filter;
  readonly update: SharedUpdate;
}

/** One operation of the bulk write that carries it out, and what it stands for. */
export interface PlannedWrite {
  readonly model: Model;
  readonly expected: number | undefined;
  readonly onDuplicate: (() => Error) | undefined;
  /** The sets that it is part of. */
  readonly of: readonly WriteSet[];
}

/**
 * All that one call writes, gathered by its rule and sent at its end, in one `bulkWrite` over all collections: one command where each write
 * alone would be one, and nothing is held while the rule still reads.
 *
 * What the rule read is held against what is there by the filters: an `update` or `remove` says in its filter what it relies on (a document's
 * `revision`), and one that finds nothing makes the call run again from its start (optimistic concurrency control, as in FoundationDB's transactions
 * or by an HTTP `If-Match`). So a rule never waits for another one while something is locked.
 */
export class WriteSet {
  readonly #exclusive: Exclusive[] = [];
  readonly #shared = new Map<string, Shared>();
  readonly #exclusiveKeys = new Set<string>();

  /** @throws (from the commit) what `onDuplicate` makes, where a unique index refuses the document */
  insert(into: Collection, document: Document, onDuplicate?: () => Error): void {
    const namespace = namespaceOf(into);
    this.#exclusiveKeys.add(keyOf(namespace, document._id));
    this.#exclusive.push({
      kind: 'exclusive',
      model: { name: 'insertOne', namespace, document },
      expected: 1,
      onDuplicate,
    });
  }

  /** Of exactly one document. `_id` in the filter is what other writes must not touch meanwhile. */
  update(of: Collection, filter: Filter, update: Document | Document[]): void {
    const namespace = namespaceOf(of);
    this.#exclusiveKeys.add(keyOf(namespace, filter._id));
    const model: Model = { name: 'updateOne', namespace, filter: checked(filter), update };
    this.#exclusive.push({ kind: 'exclusive', model, expected: 1, onDuplicate: undefined });
  }

  /** @param expected how many documents the rule relies on, where it does */
  updateMany(of: Collection, filter: Filter, update: Document | Document[], expected?: number): void {
    const model: Model = { name: 'updateMany', namespace: namespaceOf(of), filter: checked(filter), update };
    this.#exclusive.push({ kind: 'exclusive', model, expected, onDuplicate: undefined });
  }

  /** Of exactly one document. */
  remove(from: Collection, filter: Filter): void {
    const namespace = namespaceOf(from);
    this.#exclusiveKeys.add(keyOf(namespace, filter._id));
    const model: Model = { name: 'deleteOne', namespace, filter: checked(filter) };
    this.#exclusive.push({ kind: 'exclusive', model, expected: 1, onDuplicate: undefined });
  }

  removeMany(from: Collection, filter: Filter): void {
    const model: Model = { name: 'deleteMany', namespace: namespaceOf(from), filter: checked(filter) };
    this.#exclusive.push({ kind: 'exclusive', model, expected: undefined, onDuplicate: undefined });
  }

  /**
   * Of exactly one document, in a way that commutes: any number of calls that share it go into one transaction, and are one update there.
   * @param filter names the document by `_id`, and what the rule relies on
   */
  share(of: Collection, filter: Filter, update: SharedUpdate): void {
    const namespace = namespaceOf(of);
    const key = keyOf(namespace, filter._id);
    const mine = this.#shared.get(key);
    const write: Shared = { kind: 'shared', namespace, filter: checked(filter), update };
    this.#shared.set(key, mine ? combined(mine, write) : write);
  }

  get isEmpty(): boolean {
    return this.#exclusive.length === 0 && this.#shared.size === 0;
  }

  /** Operations, for bounds on what goes into one transaction. */
  get size(): number {
    return this.#exclusive.length + this.#shared.size;
  }

  /** Documents that nobody else may write in the same transaction. */
  get exclusiveKeys(): ReadonlySet<string> {
    return this.#exclusiveKeys;
  }

  get sharedKeys(): Iterable<string> {
    return this.#shared.keys();
  }

  /** Whether both rely on the same state of what they share, so that one transaction can hold both. */
  agreesWith(shared: ReadonlyMap<string, Filter>): boolean {
    for (const [key, { filter }] of this.#shared) {
      const other = shared.get(key);
      if (other && !sameFilter(other, filter)) return false;
    }
    return true;
  }

  get sharedFilters(): Iterable<[string, Filter]> {
    return [...this.#shared].map(([key, { filter }]): [string, Filter] => [key, filter]);
  }

  /** The operations of several sets as one bulk write: what they share comes first, added up. */
  static plan(sets: readonly WriteSet[]): PlannedWrite[] {
    const shared = new Map<string, { write: Shared; of: WriteSet[] }>();
    for (const set of sets) {
      for (const [key, write] of set.#shared) {
        const before = shared.get(key);
        if (!before) shared.set(key, { write, of: [set] });
        else {
          before.write = combined(before.write, write);
          before.of.push(set);
        }
      }
    }
    return [
      ...[...shared.values()].map(({ write, of }) => ({ ...planned(write), of })),
      ...sets.flatMap((set) =>
        set.#exclusive.map(({ model, expected, onDuplicate }) => ({ model, expected, onDuplicate, of: [set] })),
      ),
    ];
  }
}

function planned({ namespace, filter, update }: Shared): Omit<PlannedWrite, 'of'> {
  const inc = { ...update.inc, ...update.once };
  const model: Model = {
    name: 'updateOne',
    namespace,
    filter,
    update: { ...(Object.keys(inc).length > 0 && { $inc: inc }), ...(update.set && { $set: update.set }) },
  };
  return { model, expected: 1, onDuplicate: undefined };
}

function combined(a: Shared, b: Shared): Shared {
  const inc: Record<string, number> = { ...a.update.inc };
  for (const [field, by] of Object.entries(b.update.inc ?? {})) inc[field] = (inc[field] ?? 0) + by;
  return {
    ...a,
    filter: { ...a.filter, ...b.filter },
    update: {
      inc,
      once: { ...a.update.once, ...b.update.once },
      ...((a.update.set || b.update.set) && { set: { ...a.update.set, ...b.update.set } }),
    },
  };
}

/** Of the one database that a process has. */
const namespaceOf = ({ collection }: Collection) => `${mongoose.connection.name}.${collection.name}`;
const keyOf = (namespace: string, id: unknown) => `${namespace}/${String(id)}`;
const sameFilter = (a: Filter, b: Filter) =>
  Object.keys({ ...a, ...b }).every((field) => JSON.stringify(a[field]) === JSON.stringify(b[field]));

function checked(filter: Filter): Filter {
  for (const [field, value] of Object.entries(filter)) {
    if (value === undefined) throw new Error(`A write's filter has no value for ${field}.`);
  }
  return filter;
}
