import type { BoardRecord } from '../boards/boards.model.ts';
import { columnById, roleAt, roleOf } from '../boards/columns.ts';
import { isHandedOver, isInProgress, isPending } from '../boards/progress.ts';
import type { WriteScope } from '../calls/scope.ts';
import { claimable, pendingColumns } from '../items/claimable.ts';
import { outlinesInColumns } from '../items/items.repository.ts';
import { adjustItem } from '../writes/change-item.ts';
import { type Crossing, crossing, followCrossings } from './dependents.ts';

/**
 * A column's role says how far its items are, and its place on the board which are claimed first. When these change, the copies in the items
 * are updated, at the expense of whoever changes the board, since that is rare.
 */
export async function followChangedColumns(scope: WriteScope, before: BoardRecord, after: BoardRecord): Promise<void> {
  const [pendingBefore, pendingAfter] = [pendingColumns(before), pendingColumns(after)];
  const changed = after.columns.filter((column) => {
    const old = columnById(before, column.id);
    if (old === undefined) return false;
    const hasMoved = pendingBefore.indexOf(column.id) !== pendingAfter.indexOf(column.id);
    return hasMoved || [isPending, isInProgress, isHandedOver].some((is) => is(roleOf(old)) !== is(roleOf(column)));
  });
  if (changed.length === 0) return;
  const items = await outlinesInColumns(
    scope,
    changed.map(({ id }) => id),
  );
  const crossings: Crossing[] = [];
  for (const item of items) {
    adjustItem(scope, item, claimable(item, after));
    crossings.push(...crossing(item, roleAt(before, item.boardColumnId), roleAt(after, item.boardColumnId)));
  }
  await followCrossings(scope, crossings, items, new Map([[after._id, after]]));
}
