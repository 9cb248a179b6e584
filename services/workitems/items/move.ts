import type { Input, Output } from '@worktrack/contracts/operation';
import type { CascadedMove, ColumnPosition, moveWorkItem as operation } from '@worktrack/contracts/work-items/move';
import type { WriteContext } from '@worktrack/runtime/database/implement';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { boardsById } from '../boards/boards.repository.ts';
import { columnName, requireColumn } from '../boards/columns.ts';
import { shareColumns } from '../boards/guards.repository.ts';
import type { NewEvent } from '../history/history.repository.ts';
import { endsLease } from '../leases/lease.ts';
import type { FailingWriteScope } from '../scope.ts';
import { type AiRequest, aiMetadata, aiProcessingAfterMove } from './ai-flags.ts';
import { cascadeFrom } from './cascade.ts';
import type { ItemRecord } from './items.model.ts';
import { changeItem, type ItemChanges, requireItem } from './items.repository.ts';
import { merged } from './metadata.ts';
import { placeInColumn } from './position.ts';
import { toWorkItem } from './present.ts';

export async function moveWorkItem(
  input: Input<typeof operation>,
  context: WriteContext<'NOT_FOUND' | 'VALIDATION_FAILED'>,
): Promise<Output<typeof operation>> {
  const item = await requireItem(context, input.workItemId);
  const board = await boardOf(context, item);
  const { fromColumn, toColumn, cascaded, moved } = await moveTo(
    context,
    item,
    board,
    requireColumn(context, board, input.boardColumnId),
    input,
  );
  return { workItem: toWorkItem(moved, board), fromColumn, toColumn, cascaded };
}

export async function boardOf(scope: FailingWriteScope<never>, item: ItemRecord): Promise<BoardRecord> {
  const board = (await boardsById(scope, [item.boardId])).get(item.boardId);
  if (!board) throw new Error(`Board ${item.boardId} of work item ${item._id} is gone.`);
  return board;
}

export interface MoveRequest extends AiRequest {
  /** Recorded so, and does not cascade. */
  readonly isAutoSync?: boolean;
  readonly position?: ColumnPosition;
  /** What else changes in the same write; wins over what the move itself does to the flags. */
  readonly changes?: Omit<ItemChanges, 'boardColumnId' | 'position'>;
  /** What else is recorded with it, before the move. */
  readonly events?: readonly NewEvent[];
}

export interface Moved {
  readonly moved: ItemRecord;
  readonly fromColumn: string;
  readonly toColumn: string;
  readonly cascaded: CascadedMove[];
}

/**
 * Every change of one item's column: place, flags, history, and the ancestors that follow. All that a tool changes with the move goes into the
 * same write, so it counts as one version.
 */
export async function moveTo(
  scope: FailingWriteScope<'NOT_FOUND' | 'VALIDATION_FAILED'>,
  item: ItemRecord,
  board: BoardRecord,
  to: ColumnRecord,
  request: MoveRequest,
): Promise<Moved> {
  await shareColumns(scope, [board._id]);
  const fromColumn = columnName(board, item.boardColumnId);
  const toColumn = to.name;
  const metadata = aiMetadata(request);
  const isAutoSync = request.isAutoSync === true;
  const moved = await changeItem(
    scope,
    item._id,
    {
      boardColumnId: to.id,
      position: await placeInColumn(scope, item, to.id, request.position ?? 'last'),
      isAiProcessing: aiProcessingAfterMove(item.isAiProcessing, toColumn, request),
      ...(endsLease(toColumn) && { lease: null }),
      ...(metadata && { metadata: merged(scope, item.metadata, metadata) }),
      ...request.changes,
    },
    [
      ...(request.events ?? []),
      { eventType: 'moved', data: { fromColumn, toColumn, ...(isAutoSync && { isAutoSync }) } },
    ],
  );
  const cascaded = isAutoSync ? [] : await cascadeFrom(scope, moved, toColumn);
  return { moved, fromColumn, toColumn, cascaded };
}
