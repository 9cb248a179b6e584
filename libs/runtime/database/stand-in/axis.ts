import { firstIdAt, madeAtMs } from '../../process/uuid.ts';
import type { AnyModel, Order } from '../walk-index.ts';

/** The order's field as numbers that increase in the direction of the order. */
export interface Axis {
  readonly firstWidth: number;
  /** Beyond a window of this width hardly anything is to be expected, so it has no end. */
  readonly widest: number;
  /** Less than a page lies beyond it, or nothing. Absent: that is not known. */
  readonly end?: number;
  /** For how long the end of a first page is remembered. Where the newest come first, any number of them may have come before it since. */
  readonly endLastsMs: number;
  /** Numbers that are given one after the other lie evenly, but for those that were put far before them: the end of a page says how much is further on. */
  readonly isEven?: true;
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
const A_YEAR_MS = 365 * 24 * 60 * A_MINUTE_MS;
/** The bounds of a Date (ECMA-262, 21.4.1.1). */
const MAX_TIME_MS = 8.64e15;

const TIMES = { firstWidth: A_MINUTE_MS, widest: A_YEAR_MS, endLastsMs: A_MINUTE_MS };

/** UUIDv7, newest first. */
const newestIds = (sinceMs: number): Axis => ({
  ...TIMES,
  end: -sinceMs,
  start: () => -Date.now(),
  toAxis: (id) => -madeAtMs(String(id)),
  range: (near, far) => ({
    ...(near !== undefined && { $lt: firstIdOf(1 - near) }),
    ...(far < 0 && { $gt: firstIdOf(1 - far) }),
  }),
});

/** As long as an id: a bound that is the beginning of a value stands on the wrong side of it in a descending index. */
const firstIdOf = (ms: number) => firstIdAt(new Date(Math.floor(ms)));

const NUMBERS: Axis = {
  firstWidth: 64,
  widest: 1e9,
  endLastsMs: Infinity,
  start: () => 0,
  toAxis: Number,
  range: (near, far) => ({ ...(near !== undefined && { $gte: near }), ...(far < Infinity && { $lt: far }) }),
};

/**
 * Queues of pending work, by collection. They are usually so short, and so far from zero, that all windows on the way there, some 25, would be empty. So a
 * queue is read whole, until a full page shows how much it holds.
 */
const QUEUES: Readonly<Record<string, readonly string[]>> = {
  deliveries: ['fresh', 'dueAtMs'],
  work_items: ['claimOrder'],
};
const QUEUED: Axis = { ...NUMBERS, firstWidth: Infinity };

const PLACES: Axis = { ...NUMBERS, isEven: true };

/** Whole numbers from zero up, the greatest first. A first page says where they begin, as a bound of its range. */
const GREATEST_NUMBERS: Axis = {
  firstWidth: 64,
  widest: 1e9,
  // Or of an item without a comment, in which a claim looks for answers, some 25 windows would be read below its first revision.
  end: 0,
  // Whatever has come since is before it.
  endLastsMs: 0,
  start: () => -Number.MAX_SAFE_INTEGER,
  toAxis: (value) => -Number(value),
  range: (near, far) => ({
    ...(near !== undefined && { $lt: Math.floor(-near) + 1 }),
    ...(far < Infinity && { $gt: -far }),
  }),
};

/** Newest first. With exclusive ends, since anything on an inclusive one is left out (README.md). */
const newestTimes = (sinceMs: number): Axis => ({
  ...TIMES,
  end: -sinceMs,
  start: () => -Date.now(),
  toAxis: (time) => -(time as Date).getTime(),
  range: (near, far) => ({
    ...(near !== undefined && { $lt: new Date(Math.min(Math.floor(-near) + 1, MAX_TIME_MS)) }),
    ...(far < Infinity && { $gt: new Date(Math.max(Math.floor(-far), -MAX_TIME_MS)) }),
  }),
});

/** Oldest first: when something came to be, so hardly anything lies in the future. With exclusive ends, too. */
const oldestTimes = (sinceMs: number): Axis => ({
  ...TIMES,
  end: Date.now(),
  start: () => sinceMs,
  toAxis: (time) => (time as Date).getTime(),
  range: (near, far) => ({
    ...(near !== undefined && { $gt: new Date(Math.max(Math.ceil(near) - 1, -MAX_TIME_MS)) }),
    ...(far < Infinity && { $lt: new Date(Math.min(Math.ceil(far), MAX_TIME_MS)) }),
  }),
});

/**
 * Windows go no further back than matches can exist. Otherwise looking back through an empty list took a query for each doubling of a minute, up to a year.
 * That was half of all queries of a service beside a few pages of the console.
 * @param past `beganMs`: nothing is older. `shortAtMs`: when all of the list was less than a page
 */
export function axisOf(
  model: AnyModel,
  { field, direction }: Order,
  { beganMs, shortAtMs }: { readonly beganMs: number; readonly shortAtMs: number },
): Axis {
  // Old documents may have entered the list only now, as when they are assigned to somebody.
  if (field === '_id' && direction === -1) return newestIds(beganMs);
  const sinceMs = Math.max(beganMs, shortAtMs);
  const { instance } = model.schema.path(field);
  if (instance === 'Number') {
    if (direction === -1) return GREATEST_NUMBERS;
    return QUEUES[model.collection.name]?.includes(field) ? QUEUED : PLACES;
  }
  if (instance === 'Date') return direction === -1 ? newestTimes(sinceMs) : oldestTimes(sinceMs);
  throw new Error(`${model.modelName} has no order of ${field} that can be cut into windows.`);
}

/** A field may be part of another: `needs.since`. */
export function valueAt(row: Readonly<Record<string, unknown>>, field: string): unknown {
  return field.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], row);
}
