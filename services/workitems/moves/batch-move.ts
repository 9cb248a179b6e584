import { MAX_METADATA_BYTES } from '@worktrack/contracts/metadata';
import type { Output } from '@worktrack/contracts/operation';
import type { batchMoveWorkItems as operation } from '@worktrack/contracts/work-items/changes/batch-move';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { boardsForWrite } from '../boards/boards.repository.ts';
import { columnAt, columnMeant, noSuchColumn } from '../boards/columns.ts';
import { endsLease } from '../boards/progress.ts';
import type { FailingScope } from '../calls/scope.ts';
import { type Crossing, crossing, followMoves } from '../dependencies/dependents.ts';
import { type Return, tellOfReturn } from '../dependencies/returned-bases.ts';
import { faultByHand } from '../gates/gates.ts';
import { takenFrom, takingProblem } from '../gates/taking.ts';
import { findItems, metadataOf } from '../items/items.repository.ts';
import { toSummary } from '../items/shown/present.ts';
import { heldWarnings, warned } from '../items/warnings.ts';
import { isTooLargeAfter } from '../metadata/metadata.ts';
import { changeItem } from '../writes/change-item.ts';
import { handMoved } from './by-hand.ts';

const NOTE =
  'Bulk update: cascade and position logic was not run. Parents stay, and each item keeps its position value.';

/** As many queries for 500 items as for one; with a provider, their metadata is read first, because it may be full. */
export const batchMoveWorkItems: WriteGrouped<typeof operation> = async (
  { workItemIds, boardColumnId, fromColumnId, setAiProcessing, aiProvider, ...move },
  context,
) => {
  const found = await findItems(context, workItemIds, ['description', 'metadata']);
  const byRef = new Map(found.flatMap((item) => [[item._id, item] as const, [item.taskId, item] as const]));
  const boards = await boardsForWrite(context, found);
  const destinations = columnsMeant(context, boards, boardColumnId);
  const origins = fromColumnId === undefined ? undefined : columnsMeant(context, boards, fromColumnId);
  const moving = new Map<string, (typeof found)[number]>();
  const skipped: Output<typeof operation>['skipped'] = [];
  for (const ref of new Set(workItemIds)) {
    const item = byRef.get(ref);
    if (!item) skipped.push({ id: ref, reason: 'There is no such work item.' });
    else if (!destinations.has(item.boardId)) {
      skipped.push({ id: ref, reason: `Its board "${boards.get(item.boardId)?.name}" has no such column.` });
    } else if (origins && origins.get(item.boardId)?.column.id !== item.boardColumnId) {
      const { board } = destinations.get(item.boardId) as Place;
      skipped.push({ id: ref, reason: `It is in "${columnAt(board, item.boardColumnId).name}" now.` });
    } else {
      const { board, column: to } = destinations.get(item.boardId) as Place;
      const asked = { keyId: context.caller.keyId, takeOver: move.takeOver };
      const taking = takingProblem(item, to, asked);
      const reason = taking ?? (await faultByHand(context, item, board, to, move));
      if (reason === undefined) moving.set(item._id, item);
      else skipped.push({ id: ref, reason, needs: taking ? 'takeOver' : 'force' });
    }
  }
  const provider = setAiProcessing && aiProvider ? { aiProvider } : undefined;
  if (provider) {
    for await (const { _id, metadata } of metadataOf(context, [...moving.keys()])) {
      if (!isTooLargeAfter(metadata, provider)) continue;
      skipped.push({
        id: _id,
        reason: `Its metadata has no room for aiProvider: ${MAX_METADATA_BYTES} bytes at most.`,
      });
      moving.delete(_id);
    }
  }

  const items = [...moving.values()];
  const crossings: Crossing[] = [];
  const warnings: string[] = [];
  const returns: { readonly item: (typeof items)[number]; readonly sentBack: Return }[] = [];
  const moved = items.map((item) => {
    const { board, column: to } = destinations.get(item.boardId) as Place;
    const from = columnAt(board, item.boardColumnId);
    const hand = handMoved(context, item, board, to, move, takenFrom(item, to, context.caller.keyId));
    warnings.push(...hand.warnings);
    if (hand.sentBack) returns.push({ item, sentBack: hand.sentBack });
    crossings.push(...crossing(item, board, from.role, to.role));
    return changeItem(
      context,
      item,
      board,
      {
        boardColumnId: to.id,
        ...(endsLease(to.role) && { lease: null }),
        ...hand.changes,
        ...(setAiProcessing && { isAiProcessing: true }),
        ...(provider && { 'metadata.aiProvider': provider.aiProvider }),
      },
      [
        ...hand.events,
        { type: 'work_item.moved', data: { fromColumn: from.name, toColumn: to.name, batch: true, ...hand.data } },
      ],
    );
  });
  await followMoves(context, crossings);
  for (const { item, sentBack } of returns) await tellOfReturn(context, item, sentBack);
  return {
    movedCount: items.length,
    items: moved.map((item) => ({ ...toSummary(item, boards.get(item.boardId)), version: item.version })),
    skipped,
    note: NOTE,
    ...warned(warnings, heldWarnings(moved, context.caller.keyId)),
  };
};

interface Place {
  readonly board: BoardRecord;
  readonly column: ColumnRecord;
}

/** The column in question, on each board that has it: at most one for a UUID, possibly several for a name. */
function columnsMeant(
  context: FailingScope<'VALIDATION_FAILED'>,
  boards: ReadonlyMap<string, BoardRecord>,
  ref: string,
): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>();
  for (const [id, board] of boards) {
    const column = columnMeant(board, ref);
    if (column) found.set(id, { board, column });
  }
  const [board] = boards.values();
  if (board && found.size === 0) throw noSuchColumn(context, board, ref);
  return found;
}
