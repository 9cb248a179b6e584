import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { batchMoveWorkItems as operation } from '@worktrack/contracts/work-items/batch-move';
import { MAX_METADATA_BYTES } from '@worktrack/contracts/work-items/metadata';
import type { WriteContext } from '@worktrack/runtime/database/implement';
import { boardOfColumn } from '../boards/boards.repository.ts';
import { columnName, requireColumn } from '../boards/columns.ts';
import { shareColumns } from '../boards/guards.repository.ts';
import { endsLease } from '../leases/lease.ts';
import { changeItems, findItems, metadataOf } from './items.repository.ts';
import { isTooLargeAfter } from './metadata.ts';
import { toSummary } from './present.ts';

const NOTE =
  'Bulk update: cascade and position logic was not run. Parents stay, and each item keeps its position value.';

/** As many queries for 500 items as for one; with a provider, their metadata is read first, for it may be full. */
export async function batchMoveWorkItems(
  { workItemIds, boardColumnId, setAiProcessing, aiProvider }: Input<typeof operation>,
  context: WriteContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const board = await boardOfColumn(context, boardColumnId);
  const to = requireColumn(context, board, boardColumnId);
  await shareColumns(context, [board._id]);

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
  await changeItems(
    context,
    items,
    {
      boardColumnId: to.id,
      ...(endsLease(to.name) && { lease: null }),
      ...(setAiProcessing && { isAiProcessing: true }),
      ...(provider && { 'metadata.aiProvider': provider.aiProvider }),
    },
    (item) => ({
      eventType: 'moved',
      data: { fromColumn: columnName(board, item.boardColumnId), toColumn: to.name, batch: true },
    }),
  );
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
