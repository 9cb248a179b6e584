import { LRUCache } from 'lru-cache';
import type { AnyModel, countIndex, OrderedRead, walkIndex } from '../walk-index.ts';
import { axisOf, inOrderByWindows, valueAt } from './in-order.ts';

/** How wide the windows begin, as a share of a page's: a second, where pages begin with a minute. */
const FIRST_SHARE = 1 / 60;
/** No window is wider than the one before by more than this: how many match further on can only be guessed. */
const MAX_WIDENING = 16;
/** A little more than is expected to suffice. */
const MARGIN = 1.2;
/** After this many, the rest is counted at once: there are few matches. */
const MAX_WINDOWS = 8;
const MAX_SPANS = 10_000;

/** By list, how wide the part of the order is that holds as many as were to be counted. It only says how to begin. */
const spans = new LRUCache<string, number>({ max: MAX_SPANS });

/**
 * Like `countInOrder`, for a server that reads all that match, whatever the limit: the order's field is cut into windows, from the first match on, as wide as
 * those before them suggest.
 */
export async function countByWindows(
  model: AnyModel,
  read: Omit<OrderedRead, 'present'>,
  count: typeof countIndex,
  reader: typeof walkIndex,
): Promise<number> {
  const { order, filter, choose, limit } = read;
  const axis = axisOf(model, order);
  const present = [{ $project: { [order.field]: 1 } }];
  const [first] = await inOrderByWindows<Record<string, unknown>>(model, { ...read, limit: 1, present }, reader);
  if (!first) return 0;
  const key = JSON.stringify([model.collection.name, filter, order, choose, limit]);
  const start = axis.toAxis(valueAt(first, order.field));
  let width = spans.get(key) ?? Math.max(1, axis.firstWidth * FIRST_SHARE);
  let near: number | undefined;
  let total = 0;
  for (let windows = 1; ; windows++) {
    const far: number = windows === MAX_WINDOWS ? Infinity : (near ?? start) + width;
    // Nobody stops it, so it may as well say how many there are.
    const found = await count(model, { ...read, range: axis.range(near, far), limit: Number.MAX_SAFE_INTEGER });
    total += found;
    if (total >= limit) {
      if (far < Infinity) spans.set(key, Math.max(1, (far - start) * (limit / total) * MARGIN));
      return limit;
    }
    if (far === Infinity) return total;
    near = far;
    width *= Math.min(MAX_WIDENING, found === 0 ? MAX_WIDENING : ((limit - total) / found) * MARGIN);
  }
}
