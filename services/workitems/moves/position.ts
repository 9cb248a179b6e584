import type { ColumnPosition } from '@worktrack/contracts/work-items/changes/move';
import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import { boardOf } from '../boards/boards.repository.ts';
import type { FailingWriteScope, Scope } from '../calls/scope.ts';
import { draw, removeCounters } from '../counters/counters.repository.ts';
import { claimable } from '../items/claimable.ts';
import { asRead } from '../items/grounds.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { nextInColumn, outlinesInOrder, requireItem } from '../items/items.repository.ts';
import { adjustItem } from '../writes/change-item.ts';
import { soFarOf } from '../writes/so-far.ts';

/**
 * The order of a column: numbers drawn from one sequence per board. An appended item gets the next number, which is greater than any on the
 * board, including those of items that a batch brought in with their old positions; so nobody has to read the column, and concurrent moves never get
 * the same place. `first` is the next number, negated. Between two neighbours it is their mean, until floating point runs out: then the column is renumbered,
 * into the space between 1 and -1, which nobody draws.
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

/**
 * Gives all items of the column new positions without changing their order, so callers do not see it as a change. All of them between -1 and 1: a move to
 * the start or the end that has drawn its number, and is stored only after this, still comes before or after them.
 */
async function renumberAround(
  scope: FailingWriteScope<'NOT_FOUND'>,
  item: Pick<ItemRecord, '_id' | 'boardId'>,
  anchor: Pick<ItemRecord, '_id' | 'boardColumnId'>,
): Promise<number> {
  const others = (await outlinesInOrder(scope, anchor.boardColumnId)).filter(({ _id }) => _id !== item._id);
  const own = others.findIndex(({ _id }) => _id === anchor._id) + 1;
  const board = await boardOf(scope, item);
  const places = others.length + 1;
  const positionAt = (index: number) => (2 * (index + 1)) / (places + 1) - 1;
  for (const [index, other] of others.entries()) {
    const position = positionAt(index < own ? index : index + 1);
    adjustItem(scope, other, { position, ...claimable({ ...soFarOf(scope, other), position }, board) });
  }
  return positionAt(own);
}
