import { Stale } from '@worktrack/runtime/database/writes/stale';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardsForWrite } from '../boards/boards.repository.ts';
import { isDone, isMet, type Role } from '../boards/progress.ts';
import type { WriteScope } from '../calls/scope.ts';
import { claimable } from '../items/claimable.ts';
import { dependentsOf } from '../items/items.repository.ts';
import type { ItemOutline } from '../items/shown/views.ts';
import { adjustItem } from '../writes/change-item.ts';
import { soFarOf } from '../writes/so-far.ts';

/** An item that has moved to another column, or was deleted, and what that means for its dependents. */
export interface Crossing {
  readonly item: Pick<ItemOutline, '_id' | 'taskId' | 'projectId'>;
  readonly isMet: boolean;
  readonly isDone: boolean;
}

/** @param before the board before the write, if that changes it */
export function crossing(item: Crossing['item'], board: BoardRecord, from: Role, to: Role, before = board): Crossing[] {
  const after = { item, isMet: isMet(to, board), isDone: isDone(to) };
  return isMet(from, before) === after.isMet && isDone(from) === after.isDone ? [] : [after];
}

/**
 * Updates what the dependents of items that were handed over, or taken back, are waiting for. What is done counts no longer as sent back: no verdict on it will come.
 * @param changedBoards boards as they are after this write, if it changes them
 */
export async function followCrossings(
  scope: WriteScope,
  crossings: readonly Crossing[],
  changedBoards: ReadonlyMap<string, BoardRecord> = new Map(),
): Promise<void> {
  if (crossings.length === 0) return;
  const byReference = new Map(
    crossings.flatMap((each) => [[each.item._id, each] as const, [each.item.taskId, each] as const]),
  );
  const dependents = await dependentsOf(scope, [...byReference.keys()]);
  const boardIds = dependents.map(({ boardId }) => boardId).filter((boardId) => !changedBoards.has(boardId));
  const boards = new Map([...changedBoards, ...(await boardsForWrite(scope, boardIds))]);
  for (const dependent of dependents) {
    // Its own dependencies may change in this write too.
    const now = soFarOf(scope, dependent);
    const waitsFor = now.dependsOn.filter((reference) => {
      const crossed = byReference.get(reference);
      if (crossed?.item.projectId !== now.projectId) return now.waitsFor.includes(reference);
      return !crossed.isMet;
    });
    const onReturnedBase = now.onReturnedBase?.filter(({ id }) => !byReference.get(id)?.isDone);
    const isSettled = onReturnedBase?.length !== now.onReturnedBase?.length;
    const isSame = waitsFor.length === now.waitsFor.length && waitsFor.every((each) => now.waitsFor.includes(each));
    if (isSame && !isSettled) continue;
    const item = { ...now, waitsFor };
    const board = boards.get(item.boardId);
    // It was deleted, and then its board, in between.
    if (!board) throw new Stale();
    adjustItem(scope, dependent, { waitsFor, ...claimable(item, board), ...(isSettled && { onReturnedBase }) });
  }
}
