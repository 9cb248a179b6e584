import type { CascadedMove } from '@worktrack/contracts/work-items/move';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardsById } from '../boards/boards.repository.ts';
import { columnName, columnNamed } from '../boards/columns.ts';
import { shareColumns } from '../boards/guards.repository.ts';
import { isDone } from '../boards/progress.ts';
import { endsLease } from '../leases/lease.ts';
import type { WriteScope } from '../scope.ts';
import { aiProcessingAfterMove } from './ai-flags.ts';
import { dependsOnSiblings, followChildren } from './cascade-rule.ts';
import type { ItemRecord } from './items.model.ts';
import { changeItem, childrenOf, findItem, type ItemOutline, touch } from './items.repository.ts';
import { placeAtEnd } from './position.ts';

/**
 * Lets the ancestors of an item that has moved follow, upwards as long as one moves. Each move is recorded with the child that caused it.
 * A parent's board may be another one of the project, or lack the column: then it stays.
 */
export async function cascadeFrom(scope: WriteScope, moved: ItemOutline, toColumn: string): Promise<CascadedMove[]> {
  const cascaded: CascadedMove[] = [];
  let child = moved;
  let childColumn = toColumn;
  while (child.parentId !== null) {
    const parent = await findItem(scope, child.parentId);
    if (!parent) throw new Error(`Parent ${child.parentId} of work item ${child._id} is gone.`);
    const board = (await boardsById(scope, [parent.boardId])).get(parent.boardId);
    const fromColumn = columnName(board, parent.boardColumnId);
    const children = dependsOnSiblings(fromColumn, childColumn)
      ? await columnsOfChildren(scope, parent)
      : [childColumn];
    const follows = followChildren(fromColumn, children);
    const to = follows && board && columnNamed(board, follows);
    if (!to) {
      // It stays because a sibling is not done yet. That one may be moving to Done at this moment, and sees us where we were:
      // only one of the two may commit, and the other looks again.
      if (isDone(childColumn) && !isDone(fromColumn)) await touch(scope, [parent._id]);
      return cascaded;
    }
    child = await follow(scope, parent, board, to.id, { fromColumn, toColumn: to.name, causedBy: child._id });
    childColumn = to.name;
    cascaded.push({ id: parent._id, taskId: parent.taskId, fromColumn, toColumn: to.name });
  }
  return cascaded;
}

async function columnsOfChildren(scope: WriteScope, { _id }: ItemRecord): Promise<string[]> {
  const children = await childrenOf(scope, [_id]);
  const boards = await boardsById(
    scope,
    children.map(({ boardId }) => boardId),
  );
  return children.map(({ boardId, boardColumnId }) => columnName(boards.get(boardId), boardColumnId));
}

async function follow(
  scope: WriteScope,
  parent: ItemRecord,
  board: BoardRecord,
  boardColumnId: string,
  move: { readonly fromColumn: string; readonly toColumn: string; readonly causedBy: string },
): Promise<ItemRecord> {
  await shareColumns(scope, [board._id]);
  return changeItem(
    scope,
    parent._id,
    {
      boardColumnId,
      position: await placeAtEnd(scope, board._id),
      isAiProcessing: aiProcessingAfterMove(parent.isAiProcessing, move.toColumn, {}),
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
