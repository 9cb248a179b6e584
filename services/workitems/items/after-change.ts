import type { PreviousWork } from '@worktrack/contracts/work-items/agents/leases';
import type { BoardRecord } from '../boards/boards.model.ts';
import { columnById } from '../boards/columns.ts';
import type { Editable } from './changes.ts';
import { claimable } from './claimable.ts';
import type { ItemRecord } from './items.model.ts';

import { previousAfter } from './previous.ts';
import { returnedAfter } from './returned.ts';
import type { ItemOutline } from './shown/views.ts';

/** Fields that a change may set; `version`, `revision`, `treeVersion`, `updatedAt` and those in claimable.ts follow automatically. */
export type ItemChanges = Partial<
  Editable &
    Pick<
      ItemRecord,
      | 'foundBy'
      | 'boardColumnId'
      | 'position'
      | 'isAiProcessing'
      | 'lease'
      | 'claimedBy'
      | 'returned'
      | 'workedBy'
      | 'handedOverBy'
      | 'abandoned'
      | 'dependsOn'
      | 'waitsFor'
      | 'onReturnedBase'
      | 'assigneeId'
    >
>;

/** An item after a change, with everything that follows from it, and the fields to store. */
export function afterChange<Item extends ItemOutline>(
  item: Item,
  board: BoardRecord,
  changes: ItemChanges,
  why: PreviousWork['endedBecause'],
) {
  const updatedAt = new Date();
  const { lease, assignee, boardColumnId } = { ...item, ...changes };
  const column = columnById(board, boardColumnId);
  const previous = previousAfter(item, { lease, role: column ? column.role : null }, why, updatedAt);
  // With whoever held the item goes the sign that they are at work, unless the change sets it.
  const isLetGo = !lease && (!!item.lease || (assignee === null && item.assignee !== null));
  const set = {
    ...(isLetGo && { isAiProcessing: false }),
    ...changes,
    ...(returnedAfter(item, changes) === null && { returned: null }),
    ...(previous !== undefined && { previous }),
    updatedAt,
  };
  const after = { ...item, ...set, version: item.version + 1, revision: item.revision + 1 };
  const claims = claimable(after, board);
  return { after: { ...after, ...claims }, set: { ...set, ...claims } };
}
