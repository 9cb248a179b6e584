import { type Document, isDocument } from '../guard/command.ts';

/** An index as it is declared, and which of its fields hold arrays. */
export interface Index {
  readonly key: Readonly<Record<string, number>>;
  readonly unique?: boolean;
  readonly sparse?: boolean;
  readonly partialFilterExpression?: Document;
  /** Fields, or the arrays that they are in. */
  readonly multikey?: readonly string[];
}

export interface Query {
  readonly filter: Document;
  readonly sort?: Readonly<Record<string, number>>;
  readonly limit?: number;
  /** What is read; absent: whole documents. */
  readonly projection?: Document;
  /** Only the number of matches is asked for. */
  readonly isCount?: boolean;
}

/** How an index field is bounded: one value, several, what lies between two, everything above or below one, or not at all. */
export type Bound = 'point' | 'points' | 'range' | 'half' | 'all';

export interface Plan {
  readonly stage: 'IDHACK' | 'IXSCAN' | 'OR' | 'COLLSCAN';
  /** Name of the index, such as `organizationId_1__id_1`. */
  readonly index?: string;
  /** By field of the index, up to the last that is bounded at all. */
  readonly bounds?: Readonly<Record<string, Bound>>;
  readonly direction?: 'forward' | 'backward';
  /** Whether documents have to be read in addition to the index. */
  readonly fetch: boolean;
  /** Fields of the filter that are checked in each document that the index finds. */
  readonly filtered: readonly string[];
  readonly sort: 'none' | 'index' | 'merge' | 'memory';
  /** The most documents that match by unique keys: undefined if nothing bounds them. */
  readonly atMost?: number;
  /** For an `$or`, one for each part. */
  readonly parts?: readonly Plan[];
}

/** The number of scans into which a list of values is split for the sake of an order (internalQueryMaxScansToExplode). */
const MAX_SCANS = 200;

/**
 * How MongoDB 8 answers a query with these indexes: the best of the plans that it tries. It chooses by running them against each other for
 * a moment; the one that reads least and need not sort wins there, which is what is assumed here.
 * @param isBroad fields whose values many documents share, so that an index on a different one finds fewer
 *
 * According to MongoDB's manual: "Query Plans", "The ESR (Equality, Sort, Range) Guideline", "Use Indexes to Sort Query Results", "Multikey Index
 * Bounds", "Partial Indexes", "Sparse Indexes", "Query Optimization: Covered Queries".
 */
export function planOf(query: Query, indexes: readonly Index[], isBroad = (_field: string): boolean => false): Plan {
  const { conditions, plain, ors } = conditionsOf(query.filter);
  const plans = indexes.flatMap((index) => indexPlan(query, conditions, ors, index) ?? []);
  const united = ors.length > 0 ? orPlan(query, plain, ors, indexes, isBroad) : undefined;
  const [best] = [...plans, ...(united ? [united] : [])].toSorted((a, b) => costOf(a, isBroad) - costOf(b, isBroad));
  if (best) return best;
  return {
    stage: 'COLLSCAN',
    fetch: true,
    filtered: Object.keys(query.filter),
    sort: wants(query) ? 'memory' : 'none',
  };
}

/** The conditions of a filter by field, including the parts of an `$and`, and its `$or`s. */
function conditionsOf(filter: Document): { conditions: Map<string, Condition>; plain: Document[]; ors: Document[][] } {
  const conditions = new Map<string, Condition>();
  const plain: Document[] = [];
  const ors: Document[][] = [];
  const take = (part: Document): void => {
    for (const [name, value] of Object.entries(part)) {
      if (name === '$and') for (const each of value as Document[]) take(each);
      else if (name === '$or') ors.push(value as Document[]);
      else {
        conditions.set(name, both(conditions.get(name), conditionOf(value)));
        plain.push({ [name]: value });
      }
    }
  };
  take(filter);
  return { conditions, plain, ors };
}

interface Condition {
  readonly bound: Bound;
  /** For points: how many. */
  readonly count: number;
  /** Whether the bound says everything, so that no document has to be checked. */
  readonly isExact: boolean;
  /** The operators, for partial indexes. */
  readonly value: unknown;
}

function conditionOf(value: unknown): Condition {
  if (value instanceof RegExp) return patternOf(value.source, value.flags, value);
  if (!isDocument(value) || !Object.keys(value).some((key) => key.startsWith('$'))) {
    return { bound: 'point', count: 1, isExact: true, value };
  }
  const all = Object.entries(value).map(([operator, operand]) => operatorOf(operator, operand, value));
  return all.reduce((one, other) => both(one, other));
}

function operatorOf(operator: string, operand: unknown, value: Document): Condition {
  const condition = (bound: Bound, count: number, isExact: boolean): Condition => ({ bound, count, isExact, value });
  const list = Array.isArray(operand) ? operand : [];
  switch (operator) {
    case '$eq':
      return condition('point', 1, true);
    case '$in':
      if (list.some((each) => each instanceof RegExp)) return condition('all', 1, false);
      return condition(list.length === 1 ? 'point' : 'points', list.length, true);
    case '$all':
      // One of the values is looked up; the others are checked in what it finds.
      return condition('point', 1, list.length === 1);
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return condition('half', 1, true);
    case '$regex':
      return patternOf(String(operand), String(value.$options ?? ''), value);
    case '$options':
      return condition('all', 1, true);
    case '$exists':
      return condition(operand === false ? 'point' : 'all', 1, false);
    default:
      // $ne, $nin, $not: all but; $size, $type, $mod, $elemMatch and others: not used for bounds here.
      return condition('all', 1, false);
  }
}

/** A prefix is a range; any other pattern is checked against every key. */
function patternOf(source: string, flags: string, value: unknown): Condition {
  const isPrefix = /^\^[^.*+?()[\]{}|\\^$]+/.test(source) && !flags.includes('i');
  return { bound: isPrefix ? 'range' : 'all', count: 1, isExact: false, value };
}

const TIGHTNESS: readonly Bound[] = ['all', 'half', 'range', 'points', 'point'];

function both(one: Condition | undefined, other: Condition): Condition {
  if (!one) return other;
  const tighter = TIGHTNESS.indexOf(one.bound) >= TIGHTNESS.indexOf(other.bound) ? one : other;
  const bound = one.bound === 'half' && other.bound === 'half' ? 'range' : tighter.bound;
  return { ...tighter, bound, isExact: one.isExact && other.isExact };
}

function indexPlan(
  query: Query,
  conditions: ReadonlyMap<string, Condition>,
  ors: readonly unknown[],
  index: Index,
): Plan | undefined {
  const fields = Object.keys(index.key);
  if (!isComplete(index, conditions)) return undefined;
  const [only] = fields;
  const isById = fields.length === 1 && only === '_id';
  const sort = sortBy(query, conditions, index);
  const leading = conditions.get(fields[0] ?? '')?.bound ?? 'all';
  // An index without a bound that leaves anything out is read in full only for its order.
  if (leading === 'all' && sort.by !== 'index') return undefined;

  const bounds = boundsOf(fields, conditions, index);
  const isHeld = (name: string): boolean => {
    const condition = conditions.get(name);
    return fields.includes(name) && condition?.isExact === true && bounds[name] === condition.bound;
  };
  const filtered = [...conditions.keys()].filter((name) => !isHeld(name));
  if (ors.length > 0) filtered.push('$or');
  const atMost = mostMatches(index, conditions);
  const isIdOnly = isById && conditions.size === 1 && conditions.get('_id')?.bound === 'point' && ors.length === 0;
  return {
    stage: isIdOnly ? 'IDHACK' : 'IXSCAN',
    index: Object.entries(index.key)
      .map(([field, order]) => `${field}_${order}`)
      .join('_'),
    bounds,
    direction: sort.isBackward ? 'backward' : 'forward',
    fetch: !isCovered(query, filtered, index),
    filtered,
    sort: sort.by,
    ...(atMost !== undefined && { atMost }),
  };
}

/** Whether an index has everything that the query asks for: a partial one has what its filter says, a sparse one what has its field. */
function isComplete(index: Index, conditions: ReadonlyMap<string, Condition>): boolean {
  if (index.sparse) {
    const first = conditions.get(Object.keys(index.key)[0] ?? '');
    const isOfNothing = first?.value === null || (isDocument(first?.value) && first.value.$exists === false);
    if (!first || isOfNothing) return false;
  }
  return Object.entries(index.partialFilterExpression ?? {}).every(([field, wanted]) =>
    implies(conditions.get(field)?.value, wanted),
  );
}

/** Whether whatever meets the query's condition meets the index's. Only what is certain counts. */
function implies(given: unknown, wanted: unknown): boolean {
  if (given === undefined) return false;
  if (JSON.stringify(given) === JSON.stringify(wanted)) return true;
  if (!isDocument(wanted)) return isDocument(given) && JSON.stringify(given.$eq) === JSON.stringify(wanted);
  const values = isDocument(given)
    ? '$in' in given
      ? (given.$in as unknown[])
      : '$eq' in given
        ? [given.$eq]
        : undefined
    : [given];
  return Object.entries(wanted).every(([operator, limit]) => {
    if (values) return values.every((value) => meets(value, operator, limit));
    const range = given as Document;
    if (operator === '$exists') return limit === true && Object.keys(range).some((each) => /^\$[gl]te?$/.test(each));
    if (operator === '$gt' || operator === '$gte') {
      if (meets(range.$gt, '$gte', limit)) return true;
      return meets(range.$gte, operator, limit);
    }
    if (operator === '$lt' || operator === '$lte') {
      if (meets(range.$lt, '$lte', limit)) return true;
      return meets(range.$lte, operator, limit);
    }
    return false;
  });
}

function meets(value: unknown, operator: string, limit: unknown): boolean {
  if (value === undefined || value === null) return false;
  const [a, b] = [value as number, limit as number];
  switch (operator) {
    case '$eq':
      return a === b;
    case '$in':
      return (limit as unknown[]).includes(value);
    case '$exists':
      return limit === true;
    case '$gt':
      return a > b;
    case '$gte':
      return a >= b;
    case '$lt':
      return a < b;
    case '$lte':
      return a <= b;
    default:
      return false;
  }
}

/** Bounds apply up to the first field that is not bounded to values: after a range, or a gap, the keys are only checked. */
function boundsOf(
  fields: readonly string[],
  conditions: ReadonlyMap<string, Condition>,
  index: Index,
): Record<string, Bound> {
  const bounds: Record<string, Bound> = {};
  const arrays = new Set<string>();
  for (const field of fields) {
    const array = arrayOf(field, index);
    const condition = conditions.get(field);
    let bound = condition?.bound ?? 'all';
    if (array !== undefined) {
      // Two ends may be met by two elements, and two fields by two of them: without $elemMatch only one can bound the keys.
      if (bound === 'range') bound = 'half';
      if (bound !== 'all' && arrays.has(array)) bound = 'all';
      if (bound !== 'all') arrays.add(array);
    }
    bounds[field] = bound;
  }
  const last = fields.findLastIndex((field) => bounds[field] !== 'all');
  return Object.fromEntries(fields.slice(0, last + 1).map((field) => [field, bounds[field] as Bound]));
}

function arrayOf(field: string, { multikey = [] }: Index): string | undefined {
  return multikey.find((array) => field === array || field.startsWith(`${array}.`));
}

const wants = ({ sort }: Query): boolean => sort !== undefined && Object.keys(sort).length > 0;

/** Fields that are bounded to one value do not affect the order; the others must be those of the index, in its order or in reverse. */
function sortBy(
  query: Query,
  conditions: ReadonlyMap<string, Condition>,
  index: Index,
): { readonly by: Plan['sort']; readonly isBackward: boolean } {
  if (!wants(query)) return { by: 'none', isBackward: false };
  const isPoint = (field: string) => conditions.get(field)?.bound === 'point' && arrayOf(field, index) === undefined;
  const wanted = Object.entries(query.sort ?? {}).filter(([field]) => !isPoint(field));
  let scans = 1;
  let next = 0;
  let factor = 0;
  for (const [field, order] of Object.entries(index.key)) {
    const [name, direction = 0] = wanted[next] ?? [];
    if (name === undefined) break;
    if (field === name) {
      if (arrayOf(field, index) !== undefined || (factor !== 0 && factor !== order * direction)) return MEMORY;
      factor = order * direction;
      next++;
      continue;
    }
    const condition = conditions.get(field);
    if (condition?.bound === 'point') continue;
    if (condition?.bound !== 'points' || next > 0) return MEMORY;
    scans *= condition.count;
  }
  if (next < wanted.length || scans > MAX_SCANS) return MEMORY;
  return { by: scans > 1 ? 'merge' : 'index', isBackward: factor < 0 };
}
const MEMORY = { by: 'memory', isBackward: false } as const;

/** A unique key is matched by one document; the id is unique in whichever index it is. */
function mostMatches(index: Index, conditions: ReadonlyMap<string, Condition>): number | undefined {
  const countOf = (fields: readonly string[]): number | undefined => {
    const held = fields.map((field) => conditions.get(field));
    const isHeld = held.every((each) => each?.bound === 'point' || each?.bound === 'points');
    return isHeld ? held.reduce((product, each) => product * (each?.count ?? 1), 1) : undefined;
  };
  const fields = Object.keys(index.key);
  if (fields.includes('_id')) return countOf(['_id']);
  return index.unique ? countOf(fields) : undefined;
}

function isCovered({ projection, isCount }: Query, filtered: readonly string[], index: Index): boolean {
  if (filtered.length > 0) return false;
  if (isCount) return true;
  if (!projection) return false;
  const shown = Object.entries(projection);
  const isIncluding = shown.some(([field, value]) => field !== '_id' && (value === 1 || value === true));
  const names = shown.filter(([, value]) => value === 1 || value === true).map(([field]) => field);
  if (shown.some(([, value]) => value !== 0 && value !== 1 && value !== true && value !== false)) return false;
  const withId = projection._id === undefined || projection._id === 1 || projection._id === true;
  if (!isIncluding && !(withId && names.length > 0)) return false;
  const all = new Set([...names, ...(withId ? ['_id'] : [])]);
  return [...all].every((field) => field in index.key && arrayOf(field, index) === undefined);
}

/** Each part with an index of its own, together with the conditions outside the `$or`; a single part without one makes it all a scan. */
function orPlan(
  query: Query,
  plain: readonly Document[],
  [first = [], ...others]: readonly (readonly Document[])[],
  indexes: readonly Index[],
  isBroad: (field: string) => boolean,
): Plan | undefined {
  const plans = first.map((part) => planOf({ ...query, filter: { $and: [...plain, part] } }, indexes, isBroad));
  if (plans.some(({ stage }) => stage === 'COLLSCAN')) return undefined;
  const counts = plans.map(({ atMost }) => atMost);
  const isOrdered = plans.every(({ sort }) => sort === 'index' || sort === 'merge');
  return {
    stage: 'OR',
    fetch: plans.some(({ fetch }) => fetch),
    filtered: [...new Set([...plans.flatMap(({ filtered }) => filtered), ...(others.length > 0 ? ['$or'] : [])])],
    sort: !wants(query) ? 'none' : isOrdered ? 'merge' : 'memory',
    parts: plans,
    ...(counts.every((each) => each !== undefined) && { atMost: counts.reduce((sum, each) => sum + each, 0) }),
  };
}

const WORTH: Readonly<Record<Bound, number>> = { point: 9, points: 8, range: 6, half: 4, all: 0 };
const BROAD_WORTH = 3;

/** Unique keys first, then what need not sort, then the keys that are bounded most tightly, then what need not read documents. */
function costOf(plan: Plan, isBroad: (field: string) => boolean): number {
  if (plan.stage === 'IDHACK') return 0;
  if (plan.parts) return Math.max(...plan.parts.map((part) => costOf(part, isBroad))) + 1;
  const bounds = Object.entries(plan.bounds ?? {});
  const narrow = bounds.findIndex(([, bound]) => bound !== 'point' && bound !== 'points');
  const held = narrow < 0 ? bounds : bounds.slice(0, narrow + 1);
  const worth = held.reduce((sum, [field, bound]) => sum + Math.min(WORTH[bound], isBroad(field) ? BROAD_WORTH : 9), 0);
  const unique = plan.atMost !== undefined ? 0 : 1_000;
  const sorting = plan.sort === 'memory' ? 500 : plan.sort === 'merge' ? 2 : 0;
  const whole = held.length === 0 && plan.filtered.length > 0 ? 2_000 : 0;
  return unique + sorting + whole - worth + plan.filtered.length * 2 + (plan.fetch ? 1 : 0);
}
