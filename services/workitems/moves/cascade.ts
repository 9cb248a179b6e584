import type { CascadedMove } from '@worktrack/contracts/work-items/move';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardOf, boardsForWrite } from '../boards/boards.repository.ts';
import { columnName, columnNamed } from '../boards/columns.ts';
import { isDone } from '../boards/progress.ts';
import type { WriteScope } from '../calls/scope.ts';
import { type Crossing, crossing } from '../dependencies/dependents.ts';
import { asRead } from '../items/grounds.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { childrenOf, findItem } from '../items/items.repository.ts';
import { endsLease } from '../items/lease.ts';
import type { ItemOutline } from '../items/views.ts';
import { changeItem } from '../writes/change-item.ts';
import { aiProcessingAfterMove } from './ai-flags.ts';
import { dependsOnSiblings, followChildren } from './cascade-rule.ts';
import { placeAtEnd } from './position.ts';

export interface Cascade {
  readonly moves: CascadedMove[];
  readonly crossings: Crossing[];
  /** The ancestors that have moved, in their new state. */
  readonly moved: ItemOutline[];
}

/**
 * Makes the ancestors of a moved item follow, upwards for as long as one moves. Each move is recorded with the child that caused it.
 * If a parent is on another board of the project that lacks the column, it stays.
 */
export async function cascadeFrom(scope: WriteScope, moved: ItemOutline, toColumn: string): Promise<Cascade> {
  const cascade: Cascade = { moves: [], crossings: [], moved: [] };
  let child = moved;
  let childColumn = toColumn;
  while (child.parentId !== null) {
    // Read before its children: anything they do meanwhile shows in it.
    const parent = await findItem(scope, child.parentId);
    // Deleted meanwhile, and so the child has lost its parent: this write finds the child changed, and runs again.
    if (!parent) return cascade;
    const board = await boardOf(scope, parent);
    const fromColumn = columnName(board, parent.boardColumnId);
    const children = dependsOnSiblings(fromColumn, childColumn)
      ? [childColumn, ...(await columnsOfOthers(scope, parent, [child, moved]))]
      : [childColumn];
    const follows = followChildren(fromColumn, children);
    const to = follows && columnNamed(board, follows);
    if (!to) {
      // It stays because a sibling is not done yet. That sibling may be moving to Done right now, and sees us where we were:
      // only one of the two may commit, and the other looks again.
      if (isDone(childColumn) && !isDone(fromColumn)) scope.writes.rely(asRead(parent), 'exclusive');
      return cascade;
    }
    child = await follow(scope, parent, board, to.id, { fromColumn, toColumn: to.name, causedBy: child._id });
    childColumn = to.name;
    cascade.moves.push({ id: parent._id, taskId: parent.taskId, fromColumn, toColumn: to.name });
    cascade.crossings.push(...crossing(parent, fromColumn, to.name));
    cascade.moved.push(child);
  }
  return cascade;
}

/** For those that move, the database still has the old place; and if one got another parent, which may be below its old one, the old parent. */
async function columnsOfOthers(
  scope: WriteScope,
  { _id }: ItemRecord,
  moving: readonly ItemOutline[],
): Promise<string[]> {
  const others = (await childrenOf(scope, [_id])).filter((other) => moving.every((each) => each._id !== other._id));
  const boards = await boardsForWrite(
    scope,
    others.map(({ boardId }) => boardId),
  );
  return others.map(({ boardId, boardColumnId }) => columnName(boards.get(boardId), boardColumnId));
}

async function follow(
  scope: WriteScope,
  parent: ItemRecord,
  board: BoardRecord,
  boardColumnId: string,
  move: { readonly fromColumn: string; readonly toColumn: string; readonly causedBy: string },
): Promise<ItemRecord> {
  const isAiProcessing = aiProcessingAfterMove(move.toColumn, {});
  return changeItem(
    scope,
    parent,
    board,
    {
      boardColumnId,
      position: await placeAtEnd(scope, board._id),
      ...(isAiProcessing !== undefined && { isAiProcessing }),
      ...(endsLease(move.toColumn) && { lease: null }),
    },
    [
      {
        eventType: 'moved',
        data: { fromColumn: move.fromColumn, toColumn: move.toColumn, isAutoSync: true, causedBy: move.causedBy },
      },
    ],
  );
}
