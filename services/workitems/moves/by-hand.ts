import { audited } from '@worktrack/runtime/database/outbox/audited';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { columnAt, roleAt } from '../boards/columns.ts';
import type { FailingScope, WriteScope } from '../calls/scope.ts';
import type { Return } from '../dependencies/returned-bases.ts';
import { handedOver, isReturnByHand, passByHand } from '../gates/gates.ts';
import { type Taken, takeFrom } from '../gates/taking.ts';
import type { NewEvent } from '../history/history.repository.ts';
import type { ItemChanges } from '../items/after-change.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { sentBack } from '../items/returned.ts';

/** What a caller says about a move that no completion makes. */
export interface HandMove {
  readonly reason?: string | undefined;
  readonly force?: boolean | undefined;
  readonly takeOver?: boolean | undefined;
}

export type MovedItem = Pick<
  ItemRecord,
  | '_id'
  | 'taskId'
  | 'type'
  | 'projectId'
  | 'boardColumnId'
  | 'assignee'
  | 'lease'
  | 'returned'
  | 'workedBy'
  | 'handedOverBy'
>;

/** What else a move by hand does. */
export interface ByHand {
  readonly changes: Pick<
    ItemChanges,
    'assignee' | 'claimedBy' | 'isAiProcessing' | 'returned' | 'lease' | 'handedOverBy'
  >;
  /** What else is recorded with it, before the move. */
  readonly events: readonly NewEvent[];
  readonly warnings: readonly string[];
  /** For those who build upon it. */
  readonly sentBack?: Return | undefined;
  /** For the history. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** @throws CONFLICT if it would take another's work away without saying so, or passes a gate that is enforced */
export async function byHand(
  scope: WriteScope & FailingScope<'CONFLICT'>,
  item: MovedItem,
  board: BoardRecord,
  to: ColumnRecord,
  move: HandMove,
): Promise<ByHand> {
  const taken = takeFrom(scope, item, to, move.takeOver);
  await passByHand(scope, item, board, to, move);
  return handMoved(scope, item, board, to, move, taken);
}

/** The same for a move that has been found to be allowed. */
export function handMoved(
  scope: Pick<WriteScope, 'writes' | 'caller'>,
  item: MovedItem,
  board: BoardRecord,
  to: ColumnRecord,
  { reason, force }: HandMove,
  { changes: taken, events, warnings }: Taken,
): ByHand {
  const { _id: id, taskId: name, boardColumnId } = item;
  const from = roleAt(board, boardColumnId);
  const changes = { ...taken, ...handedOver(scope, item, from, to.role) };
  if (force) {
    audited(scope.writes, {
      targets: [{ type: 'work_item', id, name }],
      changes: [{ field: 'columnName', old: columnAt(board, boardColumnId).name, new: to.name }],
    });
  }
  const data = { ...(reason !== undefined && { reason }), ...(force && { force }) };
  if (!isReturnByHand(item, board, to)) return { changes, events, warnings, data };
  const back = sentBack(item, { from: 'move', summary: reason ?? '' }, to);
  const until = from === 'review' ? 'review' : 'validation';
  return {
    changes: { ...changes, isAiProcessing: false, ...back },
    ...{ events, warnings, data },
    sentBack: { until, summary: reason ?? '', issues: [] },
  };
}
