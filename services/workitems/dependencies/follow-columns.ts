import { isDeepStrictEqual } from 'node:util';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { columnById, roleAt } from '../boards/columns.ts';
import { isMet } from '../boards/progress.ts';
import type { WriteScope } from '../calls/scope.ts';
import { attentionAfter } from '../items/attention.ts';
import { claimable, pendingColumns } from '../items/claimable.ts';
import { outlinesInColumns } from '../items/items.repository.ts';
import { adjustItem } from '../writes/change-item.ts';
import { type Crossing, crossing, followCrossings } from './dependents.ts';

/**
 * A column's role says how far its items are and whether they hold up others, and its place on the board which are claimed first. When these change, the copies in the items
 * are updated, at the expense of whoever changes the board, since that is rare.
 */
export async function followChangedColumns(scope: WriteScope, changes: readonly ChangedBoard[]): Promise<void> {
  const boards = new Map(changes.map((change) => [change.after._id, change]));
  const columns = changes.flatMap(changedColumns);
  if (columns.length === 0) return;
  const items = await outlinesInColumns(
    scope,
    columns.map(({ id }) => id),
  );
  const crossings: Crossing[] = [];
  for (const item of items) {
    const change = boards.get(item.boardId);
    // It has left the column since: then this write is refused, and runs again.
    if (!change) continue;
    const { before, after } = change;
    const { boardColumnId } = item;
    const set = { ...claimable(item, after), ...attentionAfter(item, item, roleAt(after, boardColumnId)) };
    // Most roles of a column mean the same for most of its items, and there may be very many, of work that is done.
    if (!isDeepStrictEqual({ ...item, ...set }, item)) adjustItem(scope, item, set);
    crossings.push(...crossing(item, after, roleAt(before, boardColumnId), roleAt(after, boardColumnId), before));
  }
  // Together: what depends on items of several boards is written once.
  await followCrossings(scope, crossings, new Map(changes.map(({ after }) => [after._id, after])));
}

export interface ChangedBoard {
  readonly before: BoardRecord;
  readonly after: BoardRecord;
}

function changedColumns({ before, after }: ChangedBoard): ColumnRecord[] {
  const [pendingBefore, pendingAfter] = [pendingColumns(before), pendingColumns(after)];
  return after.columns.filter((column) => {
    const old = columnById(before, column.id);
    if (old === undefined) return false;
    const hasMoved = pendingBefore.indexOf(column.id) !== pendingAfter.indexOf(column.id);
    const [from, to] = [old.role, column.role];
    return hasMoved || from !== to || isMet(from, before) !== isMet(to, after);
  });
}
