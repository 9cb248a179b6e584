import type { AnyModel, countIndex, OrderedRead, walkIndex } from '../walk-index.ts';
import { axisOf, valueAt } from './axis.ts';
import { inOrderByWindows } from './in-order.ts';
import { MARGIN, Memory, walkWindows } from './windows.ts';

/** How wide the windows begin, as a share of a page's: a second, where pages begin with a minute. */
const FIRST_SHARE = 1 / 60;

/**
 * Like `countInOrder`, for a server that reads all that match, whatever the limit: the windows begin at the first match.
 * @returns at most the limit
 */
export async function countByWindows(
  model: AnyModel,
  read: Omit<OrderedRead, 'present'>,
  count: typeof countIndex,
  reader: typeof walkIndex,
): Promise<number> {
  const { order, range, limit } = read;
  const axis = axisOf(model, order);
  const memory = new Memory(model, axis, read, 'count');
  // As it is now: another count of the same list may end meanwhile.
  const { span, isShort } = memory;
  if (isShort) {
    const all = await count(model, { ...read, limit: Number.MAX_SAFE_INTEGER });
    if (all < limit) memory.keepShort();
    else memory.keep(axis.firstWidth * FIRST_SHARE);
    return Math.min(all, limit);
  }
  const present = [{ $project: { [order.field]: 1 } }];
  const [first] = await inOrderByWindows<Record<string, unknown>>(model, { ...read, limit: 1, present }, reader);
  if (!first) return 0;
  const start = axis.toAxis(valueAt(first, order.field));
  const width = span ?? Math.max(1, axis.firstWidth * FIRST_SHARE);
  const { found, far } = await walkWindows(axis, { range, far: start + width, width, wanted: limit }, (window) =>
    // Nobody stops it, so it may as well say how many there are.
    count(model, { ...read, range: window, limit: Number.MAX_SAFE_INTEGER }),
  );
  // Whatever has fewer is read to its end each time: once, and not a window at a time.
  if (found < limit) memory.keepShort();
  else if (far < Infinity) memory.keep((far - start) * (limit / found) * MARGIN);
  return Math.min(found, limit);
}
