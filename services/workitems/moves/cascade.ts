import type { CascadedMove } from '@worktrack/contracts/work-items/changes/move';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { boardOf, boardsForWrite } from '../boards/boards.repository.ts';
import { columnAt, columnIn, columnOfRole, roleAt } from '../boards/columns.ts';
import { endsLease, isDone, isHandedOver, isPending, type Role } from '../boards/progress.ts';
import type { WriteScope } from '../calls/scope.ts';
import { type Crossing, crossing } from '../dependencies/dependents.ts';
import { enforcedGate } from '../gates/gates.ts';
import { asRead } from '../items/grounds.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { childOutside, findItem } from '../items/items.repository.ts';
import type { ItemOutline } from '../items/shown/views.ts';
import { changeItem } from '../writes/change-item.ts';
import { aiProcessingAfterMove } from './ai-flags.ts';
import { dependsOnSiblings, followChildren } from './cascade-rule.ts';
import { placeAtEnd } from './position.ts';

export interface Cascade {
  readonly moves: CascadedMove[];
  readonly crossings: Crossing[];
}

/**
 * Makes the ancestors of a moved item follow, upwards for as long as one moves. Each move is recorded with the child that caused it.
 * If a parent is on another board of the project that lacks the column, it stays.
 */
export async function cascadeFrom(scope: WriteScope, moved: ItemOutline, to: Role): Promise<Cascade> {
  const cascade: Cascade = { moves: [], crossings: [] };
  let child = moved;
  let childRole = to;
  while (child.parentId !== null) {
    // Read before its children: anything they do meanwhile shows in it.
    const parent = await findItem(scope, child.parentId);
    // Deleted meanwhile, and so the child has lost its parent: this write finds the child changed, and runs again.
    if (!parent) return cascade;
    const board = await boardOf(scope, parent);
    const from = columnAt(board, parent.boardColumnId);
    const fromRole = from.role;
    const others = dependsOnSiblings(fromRole, childRole)
      ? await decidingRoles(scope, parent, board, [child, moved], childRole)
      : [];
    const follows = followChildren(fromRole, [childRole, ...others]);
    const column = follows && columnOfRole(board, follows);
    const into = column && (await withinGates(scope, parent, board, column));
    if (!into) {
      // It stays because a sibling is not done yet, or for its verdict. That sibling may be moving to Done right now, and sees us where we were:
      // only one of the two may commit, and the other looks again.
      if (isDone(childRole) && !isDone(fromRole)) scope.writes.rely(asRead(parent), 'exclusive');
      return cascade;
    }
    child = await follow(scope, parent, board, { from, into, causedBy: child._id });
    childRole = into.role;
    cascade.moves.push({ id: parent._id, taskId: parent.taskId, fromColumn: from.name, toColumn: into.name });
    cascade.crossings.push(...crossing(parent, board, fromRole, childRole));
  }
  return cascade;
}

/** Only a verdict leads past an enforced gate. A parent that is done by its children is handed over for review, and one that is being judged stays. */
async function withinGates(
  scope: WriteScope,
  parent: ItemRecord,
  board: BoardRecord,
  to: ColumnRecord,
): Promise<ColumnRecord | undefined> {
  if (!(await enforcedGate(scope, parent, board, to))) return to;
  return isHandedOver(roleAt(board, parent.boardColumnId)) ? undefined : columnOfRole(board, 'review');
}

/**
 * The role of another child that decides: one that is not done, if the moved child is; otherwise one that has been begun. A parent may have thousands of
 * children, so it is looked for by its column. For moving items, the database still has the old column. The same goes for the parent of an item that gets
 * another one, which may be below the old one.
 */
async function decidingRoles(
  scope: WriteScope,
  { _id }: ItemRecord,
  board: BoardRecord,
  moving: readonly ItemOutline[],
  childRole: Role,
): Promise<Role[]> {
  const decides = isDone(childRole) ? (role: Role) => !isDone(role) : (role: Role) => !isPending(role);
  const boards = new Map([[board._id, board]]);
  for (;;) {
    const columns = [...boards.values()].flatMap((each) => each.columns);
    const found = await childOutside(
      scope,
      _id,
      columns.filter(({ role }) => !decides(role)),
      moving,
    );
    if (!found) return [];
    const { boardId } = found;
    const other = boards.has(boardId) ? undefined : (await boardsForWrite(scope, [found])).get(boardId);
    if (!other) return [columnIn(boards, found).role];
    boards.set(boardId, other);
  }
}

async function follow(
  scope: WriteScope,
  parent: ItemRecord,
  board: BoardRecord,
  { from, into, causedBy }: { readonly from: ColumnRecord; readonly into: ColumnRecord; readonly causedBy: string },
): Promise<ItemRecord> {
  const role = into.role;
  const isAiProcessing = aiProcessingAfterMove(role, {});
  return changeItem(
    scope,
    parent,
    board,
    {
      boardColumnId: into.id,
      position: await placeAtEnd(scope, board._id),
      ...(isAiProcessing !== undefined && { isAiProcessing }),
      ...(endsLease(role) && { lease: null }),
    },
    [
      {
        type: 'work_item.moved',
        data: { fromColumn: from.name, toColumn: into.name, isAutoSync: true, causedBy },
      },
    ],
  );
}
