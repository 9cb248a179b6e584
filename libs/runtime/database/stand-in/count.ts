import type { AnyModel, countIndex, OrderedRead, walkIndex } from '../walk-index.ts';
import { valueAt } from './axis.ts';
import { inOrderByWindows } from './in-order.ts';
import { Memory, walkWindows } from './windows.ts';

/** How wide the windows begin, as a share of a page's: a second, where pages begin with a minute. */
const FIRST_SHARE = 1 / 60;
/**
 * Less than a page's: every entry takes 10 µs, and a limit of 10 000 means many. With 1.2 a fifth of each count was for nothing. Where too few are found after
 * all, one more window is read.
 */
const MARGIN = 1.05;

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
  const memory = new Memory(model, read, 'count');
  const { axis } = memory;
  // As it is now: another count of the same list may end meanwhile.
  const { span, end, lastEnd: known } = memory;
  const firstWidth = Math.max(1, axis.firstWidth * FIRST_SHARE);
  // Whatever has fewer than the limit is read to its end: once, and not a window at a time. Not for long: it may have grown by an import since.
  if (end === Infinity) {
    const all = await count(model, { ...read, limit: Number.MAX_SAFE_INTEGER });
    if (all < limit) memory.keep(firstWidth, Infinity);
    else memory.forget();
    return Math.min(all, limit);
  }
  const present = [{ $project: { [order.field]: 1 } }];
  const [first] = await inOrderByWindows<Record<string, unknown>>(model, { ...read, limit: 1, present }, reader);
  if (!first) return 0;
  const start = axis.toAxis(valueAt(first, order.field));
  const width = span ?? firstWidth;
  const walk = { range, far: start + width, width, wanted: limit, known };
  const { found, far } = await walkWindows(axis, walk, (window) =>
    // Nobody stops it, so it may as well say how many there are.
    count(model, { ...read, range: window, limit: Number.MAX_SAFE_INTEGER }),
  );
  if (found < limit) memory.keep(firstWidth, Infinity);
  else if (far < Infinity) memory.keep((far - start) * (limit / found) * MARGIN, far);
  return Math.min(found, limit);
}
