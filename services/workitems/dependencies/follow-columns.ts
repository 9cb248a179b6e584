import { isDeepStrictEqual } from 'node:util';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { columnById, roleAt } from '../boards/columns.ts';
import { isMet } from '../boards/progress.ts';
import type { FailingWriteScope } from '../calls/scope.ts';
import { attentionAfter } from '../items/attention.ts';
import { claimable, pendingColumns } from '../items/claimable.ts';
import { outlinesInColumns } from '../items/items.repository.ts';
import { adjustItem } from '../writes/change-item.ts';
import { type Crossing, crossing, followCrossings, portions } from './dependents.ts';

/** With more, a transaction could outlast the five seconds that a server gives it (docs/operations.md). A task that becomes claimable takes two: the log is told. */
const MAX_WRITES = 20_000;

/**
 * A column's role says how far its items are and whether they hold up others, and its place on the board which are claimed first. When these change, the copies in the items
 * are updated, at the expense of whoever changes the board, since that is rare.
 * @throws CONFLICT if it is too much for one transaction: tried again and again, it would keep everybody else from the board until the deadline
 */
export async function followChangedColumns(
  scope: FailingWriteScope<'CONFLICT'>,
  changes: readonly ChangedBoard[],
  maxWrites = MAX_WRITES,
): Promise<void> {
  const boards = new Map(changes.map((change) => [change.after._id, change]));
  const columns = changes.flatMap(changedColumns);
  if (columns.length === 0) return;
  const requireFew = () => {
    if (scope.writes.size <= maxWrites) return;
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const message = `Too many work items in ${names} would be claimable, or not, or in another order, to change all at once`;
    throw scope.fail('CONFLICT', `${message}. Move some of them to a column that stays as it is first.`, {
      reason: 'not_empty',
    });
  };
  const ids = columns.map(({ id }) => id);
  const crossings: Crossing[] = [];
  for await (const item of outlinesInColumns(scope, ids)) {
    const change = boards.get(item.boardId);
    // It has left the column since: then this write is refused, and runs again.
    if (!change) continue;
    const { before, after } = change;
    const { boardColumnId } = item;
    const set = { ...claimable(item, after), ...attentionAfter(item, item, roleAt(after, boardColumnId)) };
    // Most roles of a column mean the same for most of its items, and there may be very many, of work that is done.
    if (!isDeepStrictEqual({ ...item, ...set }, item)) adjustItem(scope, item, set);
    requireFew();
    const named = { _id: item._id, taskId: item.taskId, projectId: item.projectId };
    crossings.push(...crossing(named, after, roleAt(before, boardColumnId), roleAt(after, boardColumnId), before));
  }
  const after = new Map(changes.map((change) => [change.after._id, change.after]));
  // The references of them all may be more than a query can hold.
  for (const some of portions(crossings)) {
    await followCrossings(scope, some, after);
    requireFew();
  }
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
