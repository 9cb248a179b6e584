import type { AnyModel, countIndex, Order, OrderedRead, walkIndex } from '../walk-index.ts';
import { valueAt } from './axis.ts';
import { type Condition, choiceOf, coveredBy, indexesOf } from './split-match.ts';

/** Of that many queries none takes as long as going through a large organization once. The most projects that a key can be limited to are 100. */
const MAX_QUERIES = 128;

type Key = { readonly _id: string } & Readonly<Record<string, unknown>>;

/**
 * `read`, for a server that reads a whole collection if a choice among values (`$in`) comes before the field of the order. It is replaced by one query for each
 * value, which the index covers like any query for a single value.
 */
export function walkEachChoice(walk: typeof walkIndex): typeof walkIndex {
  return async <Row>(model: AnyModel, read: OrderedRead) => {
    const { filters } = eachChoice(model, read);
    const found = await Promise.all(filters.map((filter) => walk<Row>(model, { ...read, filter })));
    const [only, another] = found;
    if (only && !another) return only;
    // By its id: several of the values may be in one list.
    const rows = new Map(found.flat().map((row) => [(row as Key)._id, row]));
    return [...rows.values()].sort((a, b) => compared(a as Key, b as Key, read.order)).slice(0, read.limit);
  };
}

/** The same for a count. */
export function countEachChoice(count: typeof countIndex, walk: typeof walkIndex): typeof countIndex {
  return async (model, read) => {
    const { filters, mayOverlap } = eachChoice(model, read);
    if (!mayOverlap) {
      const counts = await Promise.all(filters.map((filter) => count(model, { ...read, filter })));
      return counts.reduce((sum, each) => sum + each, 0);
    }
    const present = [{ $project: { _id: 1 } }];
    const found = await Promise.all(filters.map((filter) => walk<Key>(model, { ...read, filter, present })));
    return new Set(found.flat().map(({ _id }) => _id)).size;
  };
}

interface Choices {
  readonly filters: readonly Condition[];
  /** Whether a document may match several of them. */
  readonly mayOverlap: boolean;
}

function eachChoice(model: AnyModel, { filter, order, range, after }: Omit<OrderedRead, 'present'>): Choices {
  const choices = Object.entries(filter).flatMap(([field, condition]) => {
    const values = choiceOf(condition);
    return values ? [[field, [...new Set(values)]] as const] : [];
  });
  if (choices.length === 0) return { filters: [filter], mayOverlap: false };
  const indexes = indexesOf(model);
  const isBounded = after || (range && Object.keys(range).length > 0);
  const whole = { ...filter, ...(isBounded && { [order.field]: { $gt: '' } }) };
  // As if each were one value.
  const match = { ...whole, ...Object.fromEntries(choices.map(([field]) => [field, ''])) };
  // Several only if they are answered by more of an index than one: that goes as far as the first choice.
  let most = Math.max(...indexes.map((index) => coveredBy(index, whole).length));
  let best: typeof choices | undefined;
  for (const index of indexes) {
    const covered = coveredBy(index, match);
    const chosen = choices.filter(([field]) => covered.includes(field));
    const queries = chosen.reduce((product, [, values]) => product * values.length, 1);
    if (queries > MAX_QUERIES || covered.length <= most) continue;
    most = covered.length;
    best = chosen;
  }
  const chosen = best ?? [];
  const filters = chosen.reduce<Condition[]>(
    (all, [field, values]) => all.flatMap((each) => values.map((value) => ({ ...each, [field]: value }))),
    [filter],
  );
  return { filters, mayOverlap: chosen.some(([field]) => model.schema.path(field)?.instance === 'Array') };
}

function compared(a: Key, b: Key, { field, direction }: Order): number {
  const [one, other] = [a, b].map((row) => valueAt(row, field)) as [never, never];
  if (one < other) return -direction;
  if (one > other) return direction;
  return a._id < b._id ? -direction : direction;
}
