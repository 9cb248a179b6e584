import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { batchMoveWorkItems as operation } from '@worktrack/contracts/work-items/batch-move';
import { MAX_METADATA_BYTES } from '@worktrack/contracts/work-items/metadata';
import type { GroupedContext } from '@worktrack/runtime/database/implement';
import { boardOfColumn } from '../boards/boards.repository.ts';
import { columnName, requireColumn } from '../boards/columns.ts';
import { relyOnColumns } from '../boards/tallies.repository.ts';
import { type Crossing, crossing, followCrossings } from '../dependencies/dependents.ts';
import { changeItem } from '../items/item-writes.ts';
import { findItems, metadataOf } from '../items/items.repository.ts';
import { endsLease } from '../items/lease.ts';
import { isTooLargeAfter } from '../items/metadata.ts';
import { toSummary } from '../items/present.ts';

const NOTE =
  'Bulk update: cascade and position logic was not run. Parents stay, and each item keeps its position value.';

/** As many queries for 500 items as for one; with a provider, their metadata is read first, for it may be full. */
export async function batchMoveWorkItems(
  { workItemIds, boardColumnId, setAiProcessing, aiProvider }: Input<typeof operation>,
  context: GroupedContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const board = await boardOfColumn(context, boardColumnId);
  const to = requireColumn(context, board, boardColumnId);
  relyOnColumns(context, board);

  const found = await findItems(context, workItemIds, ['description', 'metadata']);
  const byRef = new Map(found.flatMap((item) => [[item._id, item] as const, [item.taskId, item] as const]));
  const moving = new Map<string, (typeof found)[number]>();
  const skipped: Output<typeof operation>['skipped'] = [];
  for (const ref of new Set(workItemIds)) {
    const item = byRef.get(ref);
    if (!item) skipped.push({ id: ref, reason: 'There is no such work item.' });
    else if (item.boardId !== board._id) skipped.push({ id: ref, reason: `It is not on board "${board.name}".` });
    else moving.set(item._id, item);
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
  const moved = items.map((item) => {
    const fromColumn = columnName(board, item.boardColumnId);
    crossings.push(...crossing(item, fromColumn, to.name));
    return changeItem(
      context,
      item,
      board,
      {
        boardColumnId: to.id,
        ...(endsLease(to.name) && { lease: null }),
        ...(setAiProcessing && { isAiProcessing: true }),
        ...(provider && { 'metadata.aiProvider': provider.aiProvider }),
      },
      [{ eventType: 'moved', data: { fromColumn, toColumn: to.name, batch: true } }],
    );
  });
  await followCrossings(context, crossings, moved);
  return {
    movedCount: items.length,
    items: items.map((item) => ({
      ...toSummary({ ...item, boardColumnId: to.id }, board),
      isAiProcessing: setAiProcessing || item.isAiProcessing,
      version: item.version + 1,
    })),
    skipped,
    note: NOTE,
  };
}
