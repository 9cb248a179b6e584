import { LRUCache } from 'lru-cache';
import { firstIdAt } from '../../process/uuid.ts';
import type { AnyModel, Order, OrderedRead, walkIndex } from '../walk-index.ts';

type Reader = typeof walkIndex;

/**
 * Like `inOrder`, for a server that uses no index for order: it reads and sorts all that match, whatever the limit. So the order's field is cut into
 * windows, each read through the index, until there are enough rows. The first window is as wide as the page was the last time; what
 * is remembered only says where to look first, so it may be as old as it likes.
 */
export async function inOrderByWindows<Row>(model: AnyModel, read: OrderedRead, reader: Reader): Promise<Row[]> {
  const { skip = 0, limit, order } = read;
  if (skip === 0) return readWindows(model, read, reader);
  const { field } = order;
  const present = [{ $project: { [field]: 1 } }];
  const keys = await readWindows<Key>(model, { ...read, skip: 0, limit: skip, present }, reader);
  const last = keys[skip - 1];
  if (!last) return [];
  return readWindows(model, { ...read, skip: 0, limit, after: { value: valueAt(last, field), id: last._id } }, reader);
}

/** A field may be part of another: `needs.since`. */
export function valueAt(row: Readonly<Record<string, unknown>>, field: string): unknown {
  return field.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], row);
}

type Key = { readonly _id: string } & Readonly<Record<string, unknown>>;

/** Each window is so much wider than the one before that few are needed, and a page that is full early has read little. */
const WIDENING = 16;
/** After this many, the rest is read at once. */
const MAX_WINDOWS = 7;

async function readWindows<Row>(model: AnyModel, read: OrderedRead, reader: Reader): Promise<Row[]> {
  const { order, limit, after, filter, choose, range } = read;
  const axis = axisOf(model, order);
  const key = JSON.stringify([model.collection.name, filter, order, range, choose, limit]);
  const hint = hints.get(key);
  const edge = order.direction === 1 ? (range?.$gte ?? range?.$gt) : (range?.$lte ?? range?.$lt);
  const from = after?.value ?? edge;
  const start = from === undefined ? undefined : axis.toAxis(from);
  let width = hint?.span ?? axis.firstWidth;
  // A first page records where it ended, a later one how far it is to its end.
  const isFirst = after === undefined;
  const isRecent = hint?.endAtMs !== undefined && Date.now() - hint.endAtMs < axis.endLastsMs;
  let far = (isFirst && isRecent ? hint?.end : undefined) ?? (start ?? axis.start()) + width;
  const rows: Row[] = [];
  let near: number | undefined;
  for (let windows = 1; ; windows++) {
    if (windows === MAX_WINDOWS) far = Infinity;
    const window = axis.range(near, far);
    const rest: OrderedRead = { ...read, range: within(range, window), limit: limit - rows.length };
    // The first window starts where the page does; the later ones start beyond.
    rows.push(...(await reader<Row>(model, near === undefined ? rest : { ...rest, after: undefined })));
    if (rows.length >= limit || far === Infinity) break;
    near = far;
    width *= WIDENING;
    far = near + width;
  }
  const keys = rows as Key[];
  const [lastKey] = keys.slice(-1);
  if (lastKey && valueAt(lastKey, order.field) === undefined) {
    throw new Error(`${model.modelName} is read in the order of ${order.field}, which its rows must keep.`);
  }
  remember(key, hint, keys, {
    isFull: keys.length >= limit,
    isFirst,
    at: (row) => axis.toAxis(valueAt(row, order.field)),
  });
  return rows;
}

/** An upper and a lower bound given by the caller stay, unless the window's is narrower. */
function within(range: OrderedRead['range'] = {}, window: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const bounds: Record<string, unknown> = { ...range };
  for (const [operator, value] of Object.entries(window)) {
    const given = bounds[operator];
    const isLower = operator.startsWith('$g');
    if (given === undefined || (isLower ? (value as never) > (given as never) : (value as never) < (given as never))) {
      bounds[operator] = value;
    }
  }
  return bounds;
}

interface Hint {
  /** Where the first page ended, and a little more. */
  readonly end?: number | undefined;
  readonly endAtMs?: number | undefined;
  /** How far it is from the beginning of a page to its end, and a little more. */
  readonly span?: number | undefined;
}
const MAX_HINTS = 10_000;
const hints = new LRUCache<string, Hint>({ max: MAX_HINTS });

function remember(
  key: string,
  before: Hint | undefined,
  rows: readonly Key[],
  { isFull, isFirst, at }: { readonly isFull: boolean; readonly isFirst: boolean; at(row: Key): number },
): void {
  const [first, last] = [rows.at(0), rows.at(-1)];
  let hint: Hint;
  if (isFull && first && last) {
    const span = Math.max(1, (at(last) - at(first)) * 1.5);
    hint = isFirst ? { end: at(last) + span / 3, endAtMs: Date.now(), span } : { ...before, span };
  } else if (isFirst) {
    hint = { end: Infinity, endAtMs: Date.now() };
  } else {
    // The last page of several says nothing about the others.
    return;
  }
  hints.set(key, hint);
}

/** The order's field as numbers that increase in the direction of the order. */
interface Axis {
  readonly firstWidth: number;
  /** For how long the end of a first page is remembered. Where the newest come first, any number of them may have come before it since. */
  readonly endLastsMs: number;
  /** Where the first page is likely to begin. */
  start(): number;
  toAxis(value: unknown): number;
  /**
   * @param near inclusive; undefined: from the beginning
   * @param far exclusive; Infinity: to the end
   */
  range(near: number | undefined, far: number): Record<string, unknown>;
}

const A_MINUTE_MS = 60_000;
/** The bounds of a Date (ECMA-262, 21.4.1.1). */
const MAX_TIME_MS = 8.64e15;

/** UUIDv7, newest first. */
const NEWEST_IDS: Axis = {
  firstWidth: A_MINUTE_MS,
  endLastsMs: A_MINUTE_MS,
  start: () => -Date.now(),
  toAxis: (id) => -Number.parseInt(String(id).slice(0, 13).replace('-', ''), 16),
  range: (near, far) => ({
    ...(near !== undefined && { $lt: firstIdOf(1 - near) }),
    ...(far < 0 && { $gt: firstIdOf(1 - far) }),
  }),
};

/** As long as an id: a bound that is the beginning of a value stands on the wrong side of it in a descending index. */
const firstIdOf = (ms: number) => firstIdAt(new Date(Math.ceil(ms)));

const NUMBERS: Axis = {
  firstWidth: 64,
  endLastsMs: Infinity,
  start: () => 0,
  toAxis: Number,
  range: (near, far) => ({ ...(near !== undefined && { $gte: near }), ...(far < Infinity && { $lt: far }) }),
};

/** Newest first. With exclusive ends, since anything on an inclusive one is left out (README.md). */
const NEWEST_TIMES: Axis = {
  firstWidth: A_MINUTE_MS,
  endLastsMs: A_MINUTE_MS,
  start: () => -Date.now(),
  toAxis: (time) => -(time as Date).getTime(),
  range: (near, far) => ({
    ...(near !== undefined && { $lt: new Date(Math.min(Math.floor(-near) + 1, MAX_TIME_MS)) }),
    ...(far < Infinity && { $gt: new Date(Math.max(Math.floor(-far), -MAX_TIME_MS)) }),
  }),
};

/** Oldest first. With exclusive ends, too. */
const OLDEST_TIMES: Axis = {
  firstWidth: A_MINUTE_MS,
  endLastsMs: A_MINUTE_MS,
  start: () => 0,
  toAxis: (time) => (time as Date).getTime(),
  range: (near, far) => ({
    ...(near !== undefined && { $gt: new Date(Math.max(Math.ceil(near) - 1, -MAX_TIME_MS)) }),
    ...(far < Infinity && { $lt: new Date(Math.min(Math.ceil(far), MAX_TIME_MS)) }),
  }),
};

export function axisOf(model: AnyModel, { field, direction }: Order): Axis {
  if (field === '_id' && direction === -1) return NEWEST_IDS;
  const { instance } = model.schema.path(field);
  if (instance === 'Number' && direction === 1) return NUMBERS;
  if (instance === 'Date') return direction === -1 ? NEWEST_TIMES : OLDEST_TIMES;
  throw new Error(`${model.modelName} has no order of ${field} that can be cut into windows.`);
}
