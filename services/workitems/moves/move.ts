import type {
  CascadedMove,
  ColumnPosition,
  moveWorkItem as operation,
} from '@worktrack/contracts/work-items/changes/move';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { boardOf } from '../boards/boards.repository.ts';
import { columnAt, requireColumn } from '../boards/columns.ts';
import { endsLease } from '../boards/progress.ts';
import type { FailingWriteScope } from '../calls/scope.ts';
import { requireVersion } from '../calls/version.ts';
import { crossing, followMoves } from '../dependencies/dependents.ts';
import { type Return, tellOfReturn } from '../dependencies/returned-bases.ts';
import type { NewEvent } from '../history/history.repository.ts';
import type { ItemChanges } from '../items/after-change.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { requireItem } from '../items/items.repository.ts';
import { toWorkItem, versionOf } from '../items/shown/present.ts';
import { heldWarnings, warned } from '../items/warnings.ts';
import { merged } from '../metadata/metadata.ts';
import { changeItem } from '../writes/change-item.ts';
import { type AiRequest, aiMetadata, aiProcessingAfterMove } from './ai-flags.ts';
import { byHand } from './by-hand.ts';
import { cascadeFrom } from './cascade.ts';
import { placeInColumn } from './position.ts';

export const moveWorkItem: WriteGrouped<typeof operation> = async (input, context) => {
  const item = await requireItem(context, input.workItemId);
  const board = await boardOf(context, item);
  requireVersion(context, versionOf(item, board), input.version);
  const to = requireColumn(context, board, input.boardColumnId);
  const { changes, warnings, ...hand } = await byHand(context, item, board, to, input);
  const request = {
    ...input,
    changes: { ...changes, ...(input.setAiProcessing && { isAiProcessing: true }) },
    ...hand,
  };
  const { fromColumn, toColumn, cascaded, moved } = await moveTo(context, item, board, to, request);
  const noted = warned(warnings, moved.lease ? heldWarnings([item], context.caller.keyId) : []);
  return { workItem: toWorkItem(moved, board), fromColumn, toColumn, cascaded, ...noted };
};

export interface MoveRequest extends AiRequest {
  /** Recorded as such, and does not cascade. */
  readonly isAutoSync?: boolean;
  readonly position?: ColumnPosition;
  /** What else changes in the same write; wins over what the move itself does to the flags. */
  readonly changes?: Omit<ItemChanges, 'boardColumnId' | 'position'>;
  /** What else is recorded with it, before the move. */
  readonly events?: readonly NewEvent[];
  /** It sends a task back, which those who build upon it are told. */
  readonly sentBack?: Return | undefined;
  /** What else the history says about the move. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Why a lease that this move ends is ended; default: the move. */
  readonly leaseEnds?: 'released' | 'completed' | undefined;
}

export interface Moved {
  readonly moved: ItemRecord;
  readonly fromColumn: string;
  readonly toColumn: string;
  readonly cascaded: CascadedMove[];
}

/**
 * Every change of one item's column: place, flags, history, and the ancestors that follow. Everything that a tool changes with the move goes into the
 * same write, so it counts as one version.
 */
export async function moveTo(
  scope: FailingWriteScope<'NOT_FOUND' | 'VALIDATION_FAILED'>,
  item: ItemRecord,
  board: BoardRecord,
  to: ColumnRecord,
  request: MoveRequest,
): Promise<Moved> {
  const from = columnAt(board, item.boardColumnId);
  const [fromColumn, toColumn] = [from.name, to.name];
  const role = to.role;
  const metadata = aiMetadata(request);
  const isAutoSync = request.isAutoSync === true;
  // To another place in its column: nobody begins or ends anything.
  const isReordered = to.id === item.boardColumnId && !request.setAiProcessing;
  const isAiProcessing = isReordered ? undefined : aiProcessingAfterMove(role, request);
  const moved = changeItem(
    scope,
    item,
    board,
    {
      boardColumnId: to.id,
      position: await placeInColumn(scope, item, to.id, request.position ?? 'last'),
      ...(isAiProcessing !== undefined && { isAiProcessing }),
      ...(endsLease(role) && { lease: null }),
      ...(metadata && { metadata: merged(scope, item.metadata, metadata) }),
      ...request.changes,
    },
    [
      ...(request.events ?? []),
      { type: 'work_item.moved', data: { fromColumn, toColumn, ...(isAutoSync && { isAutoSync }), ...request.data } },
    ],
    request.leaseEnds,
  );
  const cascade = isAutoSync ? undefined : await cascadeFrom(scope, moved, role);
  const crossings = [...crossing(item, board, from.role, role), ...(cascade?.crossings ?? [])];
  await followMoves(scope, crossings);
  if (request.sentBack) await tellOfReturn(scope, item, request.sentBack);
  return { moved, fromColumn, toColumn, cascaded: cascade?.moves ?? [] };
}
