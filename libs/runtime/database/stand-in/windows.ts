import { LRUCache } from 'lru-cache';
import { madeAtMs } from '../../process/uuid.ts';
import type { AnyModel, OrderedRead } from '../walk-index.ts';
import { type Axis, axisOf } from './axis.ts';

/**
 * How much wider, or narrower, a window may be than the one before: how many match further on can only be guessed. After a gap, the next window is as wide as
 * the gap, and items come in bursts. With a factor of eight, such a window held most of a million items ten minutes after their import. Windows without a match
 * take half a millisecond.
 */
const MAX_WIDENING = 2;
const MAX_NARROWING = 1 / 4;
/** A little more than is expected to suffice. */
const MARGIN = 1.2;
/** A bound for what never happens: windows that hold a few each, all the way. */
const MAX_WINDOWS = 64;
const MAX_REMEMBERED = 10_000;

/** What is remembered of a list. It only says where to look first, so it may be as old as it likes. */
interface Remembered {
  /** How wide the part of the order is that holds as many as are wanted. */
  readonly span: number;
  /** Where a first page ended, or a count (Infinity: nothing was left), and when that was seen. */
  readonly end?: number;
  readonly endAtMs?: number;
}

const remembered = new LRUCache<string, Remembered>({ max: MAX_REMEMBERED });

/** One list's entry in the memory of windows. */
export class Memory {
  readonly #key: string;
  readonly axis: Axis;

  /** @param use distinguishes several walks over one list */
  constructor(model: AnyModel, { filter, order, range, choose, limit }: Omit<OrderedRead, 'present'>, use: string) {
    const keyed = [use, model.collection.name, withoutTimes(filter), order, range, choose, limit];
    this.#key = JSON.stringify(keyed);
    const { end, endAtMs = 0 } = remembered.get(this.#key) ?? {};
    this.axis = axisOf(model, order, { beganMs: beginningOf(filter), shortAtMs: end === Infinity ? endAtMs : 0 });
  }

  get span(): number | undefined {
    return remembered.get(this.#key)?.span;
  }

  /** Where a first page ended, unless too much may have come before it since. */
  get end(): number | undefined {
    const { endAtMs = 0 } = remembered.get(this.#key) ?? {};
    return Date.now() - endAtMs < this.axis.endLastsMs ? this.lastEnd : undefined;
  }

  /** The same, however long ago that was. */
  get lastEnd(): number | undefined {
    return remembered.get(this.#key)?.end;
  }

  /** @param end of a first page, or of a count */
  keep(span: number, end?: number): void {
    const before = remembered.get(this.#key);
    const seen = end === undefined ? before : { end, endAtMs: Date.now() };
    remembered.set(this.#key, { ...seen, span: Math.max(1, span) });
  }

  forget(): void {
    remembered.delete(this.#key);
  }
}

/** When the organization was made whose list it is: nothing in it is older. 0: that is not known. */
function beginningOf({ organizationId }: OrderedRead['filter']): number {
  return typeof organizationId === 'string' ? madeAtMs(organizationId) || 0 : 0;
}

/** The present time is in some filters, and would make each a list of its own. */
function withoutTimes(value: unknown): unknown {
  if (value instanceof Date) return 'a time';
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutTimes(inner)]));
}

/**
 * Walks along an order in windows, each read through the index, until enough is found. Each is as wide as those before it suggest.
 * @param walk the list's own bounds, the end of the first window, the width of the next ones, the number of matches wanted, and where as many were found
 * (`known`). A window that passes `known` ends there: after a gap it would hold everything else within the width of the gap
 * @param read reads the matches of a window and returns how many there were. The first window has no near end
 * @returns how many were found, and where the last window ended (Infinity: nothing is left)
 */
export async function walkWindows(
  axis: Axis,
  walk: {
    readonly range: OrderedRead['range'];
    readonly far: number;
    readonly width: number;
    readonly wanted: number;
    readonly known?: number | undefined;
  },
  read: (range: Record<string, unknown>, isFirst: boolean) => Promise<number>,
): Promise<{ readonly found: number; readonly far: number }> {
  const { range, wanted, known = Infinity } = walk;
  const { end = Infinity } = axis;
  let { far, width } = walk;
  let near: number | undefined;
  let found = 0;
  for (let windows = 1; ; windows++) {
    if (far > end) far = Infinity;
    const count = await read(within(range, axis.range(near, far)), windows === 1);
    found += count;
    if (found >= wanted || far === Infinity) return { found, far };
    const needed = ((wanted - found) / count) * MARGIN;
    width *= Math.min(MAX_WIDENING, Math.max(MAX_NARROWING, needed));
    near = far;
    // Not after a number of windows: at the end of a burst the first are narrow, and all that came before it would be read.
    far = width > axis.widest || windows + 1 === MAX_WINDOWS ? Infinity : near + Math.max(1, width);
    if (near < known && known < far) far = known;
  }
}

/** An upper and a lower bound given by the caller stay, unless the window's is narrower. */
export function within(
  range: OrderedRead['range'] = {},
  window: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
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
