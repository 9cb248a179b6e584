import type { ColumnPosition } from '@worktrack/contracts/work-items/changes/move';
import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import { boardOf } from '../boards/boards.repository.ts';
import type { FailingWriteScope, Scope } from '../calls/scope.ts';
import { draw, removeCounters } from '../counters/counters.repository.ts';
import { claimable } from '../items/claimable.ts';
import { asRead } from '../items/grounds.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { nextInColumn, outlinesInOrder, outlinesNear, requireItem } from '../items/items.repository.ts';
import { adjustItem } from '../writes/change-item.ts';
import { soFarOf } from '../writes/so-far.ts';

/**
 * The order of a column: numbers drawn from one sequence per board. An appended item gets the next number. It is greater than any on the board, including those
 * of items that a batch brought in with their old positions. So nobody has to read the column, and concurrent moves never get the same place. `first` is the
 * next number, negated. Between two neighbours it is their mean, until floating point runs out: then those nearby are renumbered.
 */
export function placeAtEnd(scope: Scope, boardId: string): Promise<number> {
  return draw(scope, sequenceOf(boardId));
}

/** For deleted boards. */
export function forgetPlaces(scope: TransactionScope & Scope, boardIds: readonly string[]): Promise<void> {
  return removeCounters(scope, boardIds.map(sequenceOf));
}

const sequenceOf = (boardId: string) => `positions:${boardId}`;

/** @returns the position of `item` in the column; its neighbours may be renumbered */
export async function placeInColumn(
  scope: FailingWriteScope<'NOT_FOUND' | 'VALIDATION_FAILED'>,
  item: Pick<ItemRecord, '_id' | 'boardId'>,
  boardColumnId: string,
  position: ColumnPosition,
): Promise<number> {
  if (position === 'last') return placeAtEnd(scope, item.boardId);
  if (position === 'first') return -(await draw(scope, sequenceOf(item.boardId)));
  const anchor = await requireItem(scope, position.after);
  if (anchor.boardColumnId !== boardColumnId || anchor._id === item._id) {
    throw scope.fail('VALIDATION_FAILED', 'position.after must name another item of the destination column.', {
      details: [{ path: 'position.after', message: 'must name another item of the destination column' }],
    });
  }
  // Two items placed after the same one concurrently would get the same mean.
  scope.writes.rely(asRead(anchor), 'exclusive');
  const next = await nextInColumn(scope, anchor, item._id);
  if (!next) return placeAtEnd(scope, item.boardId);
  return meanBetween(anchor.position, next.position) ?? renumberAround(scope, item, anchor);
}

/** A number between the two, or undefined if floating point has none left (after some 40 insertions at the same spot). */
export function meanBetween(before: number, after: number): number | undefined {
  const mean = before + (after - before) / 2;
  return before < mean && mean < after ? mean : undefined;
}

/** How many on either side are searched for room. Each item put into one spot took half of the remaining room, so 40 of them have left enough. */
const NEARBY = 100;
/** What is left between two that were renumbered, in proportion to their positions: enough for some 20 insertions in one spot. */
const ROOM = 2 ** -30;

/**
 * Gives some items new positions without changing their order, so callers do not see it as a change. It takes the smallest group with room between its two
 * neighbours. These keep their positions, so that reading the column page by page goes on at the same place. Where nobody nearby has room, the whole column
 * gets new positions, between -1 and 1. A move to the start or the end may have drawn its number before this and be stored after it, and still comes before or
 * after all of them.
 */
async function renumberAround(
  scope: FailingWriteScope<'NOT_FOUND'>,
  item: Pick<ItemRecord, '_id' | 'boardId'>,
  anchor: Pick<ItemRecord, '_id' | 'boardColumnId' | 'position'>,
): Promise<number> {
  const isOther = ({ _id }: Pick<ItemRecord, '_id'>) => _id !== item._id;
  const near = (await outlinesNear(scope, anchor, NEARBY)).filter(isOther);
  const anchorAt = near.findIndex(({ _id }) => _id === anchor._id);
  const isEnd = near.length - anchorAt < NEARBY - 1;
  const positions = near.map(({ position }) => position);
  // Up to what may be appended meanwhile, which is a whole number, the last one can give way as well.
  if (isEnd) positions.push(Math.floor(positions.at(-1) ?? 0) + 1);
  const space = spaceAround(positions, anchorAt);
  const ends = space ? [near[space.from], near[space.to]].filter((end) => end !== undefined) : [];
  // They may be renumbered by another move.
  for (const end of ends) scope.writes.rely(asRead(end));
  const [low = -1, high = 1] = space ? [positions[space.from], positions[space.to]] : [];
  const renumbered = space
    ? near.slice(space.from + 1, space.to)
    : (await outlinesInOrder(scope, anchor.boardColumnId)).filter(isOther);
  const own = renumbered.findIndex(({ _id }) => _id === anchor._id) + 1;
  const board = await boardOf(scope, item);
  const positionAt = (index: number) => low + ((high - low) * (index + 1)) / (renumbered.length + 2);
  for (const [index, other] of renumbered.entries()) {
    const position = positionAt(index < own ? index : index + 1);
    adjustItem(scope, other, { position, ...claimable({ ...soFarOf(scope, other), position }, board) });
  }
  return positionAt(own);
}

/**
 * Between which of these there is room for all that are between them, and one more after the given one. What is after it gives way first: it moves on, and
 * a reader who has come to it sees it twice rather than not at all.
 */
function spaceAround(
  positions: readonly number[],
  at: number,
): { readonly from: number; readonly to: number } | undefined {
  const hasRoom = (from: number, to: number) => {
    const [low, high] = [positions[from] as number, positions[to] as number];
    return (high - low) / (to - from + 1) >= ROOM * Math.max(1, Math.abs(low), Math.abs(high));
  };
  for (let to = at + 2; to < positions.length; to++) if (hasRoom(at, to)) return { from: at, to };
  for (let from = at - 1; from >= 0; from--) if (hasRoom(from, at + 1)) return { from, to: at + 1 };
  return undefined;
}
