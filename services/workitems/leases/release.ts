import type { releaseWorkItem as operation } from '@worktrack/contracts/work-items/agents/leases';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { boardOf } from '../boards/boards.repository.ts';
import { columnById, requireColumn, roleAt } from '../boards/columns.ts';
import { isInProgress, isPending } from '../boards/progress.ts';
import { enforcedGate, handedOver } from '../gates/gates.ts';
import { givenBack } from '../gates/taking.ts';
import { requirePresent } from '../history/require-present.ts';
import { isLive } from '../items/lease.ts';
import { toWorkItem } from '../items/shown/present.ts';
import { moveTo } from '../moves/move.ts';

/** Gives a claimed item back as it was before the claim. */
export const releaseWorkItem: WriteGrouped<typeof operation> = async (
  { workItemId, leaseToken, boardColumnId },
  given,
) => {
  const item = await requirePresent(given, workItemId);
  if (!isLive(item.lease, new Date()) || item.lease.token !== leaseToken) {
    throw given.fail(
      'CONFLICT',
      'The lease of leaseToken does not hold the item: it expired, or the item was moved, released or claimed by another agent. There is nothing to release.',
    );
  }
  const { before, agent } = item.lease;
  const context = { ...given, by: { agent, run: item.lease.run } };
  const board = await boardOf(context, item);
  const to =
    boardColumnId === undefined
      ? columnBefore(board, before.boardColumnId)
      : requireColumn(context, board, boardColumnId);
  // Back where it was is no step; anywhere else is a move like any other.
  const gate = boardColumnId === undefined ? undefined : await enforcedGate(context, item, board, to);
  if (gate) throw context.fail('CONFLICT', gate, { reason: 'gate' });
  const back = givenBack(item, item.lease);
  const { moved } = await moveTo(context, item, board, to, {
    leaseEnds: 'released',
    changes: {
      ...back.changes,
      lease: null,
      ...handedOver(context, item, roleAt(board, item.boardColumnId), to.role),
      // It still has to be fixed, unless it is put somewhere else.
      ...(before.returned && isBackForRework(to, before.boardColumnId) && { returned: before.returned }),
    },
    events: [...back.events, { type: 'work_item.released', data: { agent } }],
  });
  return { released: true, workItem: toWorkItem(moved, board) };
};

/** A move by hand may have sent it back to where pending items are, and it was claimed from there. */
function isBackForRework(to: ColumnRecord, idBefore: string): boolean {
  return isInProgress(to.role) || (isPending(to.role) && to.id === idBefore);
}

/** The column may have been removed from the board since: then where pending items are, or the first. */
function columnBefore(board: BoardRecord, columnId: string): ColumnRecord {
  return (
    columnById(board, columnId) ??
    board.columns.findLast((column) => isPending(column.role)) ??
    (board.columns[0] as ColumnRecord)
  );
}
