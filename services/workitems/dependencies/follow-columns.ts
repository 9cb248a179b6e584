import type { BoardRecord } from '../boards/boards.model.ts';
import { columnById } from '../boards/columns.ts';
import { isHandedOver, isPending } from '../boards/progress.ts';
import type { WriteScope } from '../calls/scope.ts';
import { claimable, pendingColumns } from '../items/claimable.ts';
import { outlinesInColumns } from '../items/items.repository.ts';
import { isInProgress } from '../items/lease.ts';
import { adjustItem } from '../writes/change-item.ts';
import { type Crossing, followCrossings } from './dependents.ts';

/**
 * A column's name says how far its items are, and its place on the board which are claimed first. When these change, the copies in the items
 * are updated, at the expense of whoever changes the board, since that is rare.
 */
export async function followRenamedColumns(scope: WriteScope, before: BoardRecord, after: BoardRecord): Promise<void> {
  const [pendingBefore, pendingAfter] = [pendingColumns(before), pendingColumns(after)];
  const renamed = after.columns.filter(({ id, name }) => {
    const old = columnById(before, id)?.name;
    if (old === undefined) return false;
    const hasMoved = pendingBefore.indexOf(id) !== pendingAfter.indexOf(id);
    return hasMoved || [isPending, isInProgress, isHandedOver].some((is) => is(old) !== is(name));
  });
  if (renamed.length === 0) return;
  const items = await outlinesInColumns(
    scope,
    renamed.map(({ id }) => id),
  );
  const crossings: Crossing[] = [];
  for (const item of items) {
    const name = columnById(after, item.boardColumnId)?.name ?? '';
    const old = columnById(before, item.boardColumnId)?.name ?? '';
    adjustItem(scope, item, claimable(item, after));
    if (isHandedOver(old) !== isHandedOver(name)) crossings.push({ item, isHandedOver: isHandedOver(name) });
  }
  await followCrossings(scope, crossings, items, new Map([[after._id, after]]));
}
