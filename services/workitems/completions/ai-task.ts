import type { completeAiTask as operation } from '@worktrack/contracts/work-items/agents/completions';
import { DEFAULT_IMPLEMENT_PROVIDER } from '@worktrack/contracts/work-items/costs/sessions';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { boardOf } from '../boards/boards.repository.ts';
import { columnAt, columnMeant, columnOfRole, requireColumnOfRole } from '../boards/columns.ts';
import { HANDED_OVER, isHandedOver } from '../boards/progress.ts';
import type { FailingScope } from '../calls/scope.ts';
import { baseWarnings } from '../dependencies/returned-bases.ts';
import { handedOver } from '../gates/gates.ts';
import { takenFrom } from '../gates/taking.ts';
import { requirePresent } from '../history/require-present.ts';
import type { ItemRecord } from '../items/items.model.ts';
import type { LeaseRecord } from '../items/lease.model.ts';
import { handOverProblem, isHolder } from '../items/lease.ts';
import { warned } from '../items/warnings.ts';
import { merged } from '../metadata/metadata.ts';
import { metadataEvents } from '../metadata/metadata-event.ts';
import { moveTo } from '../moves/move.ts';
import { requireSameItem } from '../usage/same-item.ts';
import { keepSession } from '../usage/session.ts';

/** Hands the work over for review. A caller that does not hold the item's live lease is refused. */
export const completeAiTask: WriteGrouped<typeof operation> = async (input, given) => {
  const item = await requirePresent(given, input.workItemId);
  const lease = isHolder(item.lease, given.caller.keyId, input.leaseToken) ? item.lease : undefined;
  const context = { ...given, ...(lease && { by: { agent: lease.agent, run: lease.run, model: input.model } }) };
  requireSameItem(context, item, input.taskId);
  const board = await boardOf(context, item);
  const to = reviewColumn(context, board, input.reviewColumnId);
  const problem = handOverProblem(
    item.lease,
    { keyId: context.caller.keyId, leaseToken: input.leaseToken },
    new Date(),
  );
  const isTaken = input.takeOver && input.leaseToken === undefined;
  if (problem && !isTaken) throw context.fail('CONFLICT', problem);
  const taken = problem ? takenFrom(item, to, context.caller.keyId) : undefined;

  const { userActions } = input;
  const { keyId, userId } = context.caller;
  // After its lease has ended, until somebody else claims the item, it is still the same session.
  const reported = lease?.report;
  const abandoned = !reported && item.abandoned?.keyId === context.caller.keyId ? item.abandoned : undefined;
  const report = { ...input, otherwise: DEFAULT_IMPLEMENT_PROVIDER, agent: lease?.agent };
  const { session, event } = await keepSession(context, item, report, { reported, abandoned });
  const metadata = merged(context, item.metadata, userActions === undefined ? {} : { userActions });
  const from = columnAt(board, item.boardColumnId);
  const { toColumn } = await moveTo(context, item, board, to, {
    leaseEnds: lease ? 'completed' : undefined,
    changes: {
      ...taken?.changes,
      ...{ isAiProcessing: false, lease: null, metadata, workedBy: { keyId, userId } },
      ...handedOver(context, {}, from.role, to.role),
      ...(abandoned && { abandoned: null }),
    },
    events: [...(taken?.events ?? []), ...metadataEvents(item.metadata, metadata, ['userActions']), event],
  });
  const { id: sessionId, estimatedCost, costBasis, totalTokens } = session;
  return {
    ...{ completed: true, workItemId: item._id, movedTo: toColumn },
    ...{ sessionId, estimatedCost, costBasis, totalTokens },
    ...warned(againWarnings(item, lease, from), baseWarnings(item), taken?.warnings ?? []),
  };
};

/** Whoever repeats a call because its answer was lost does not mean to report its cost twice. */
function againWarnings({ taskId }: ItemRecord, lease: LeaseRecord | undefined, from: ColumnRecord): string[] {
  if (lease || !isHandedOver(from.role)) return [];
  return [
    `${taskId} had been handed over and was in ${from.name}: this is recorded beside what was recorded before. To repeat a call, give it the idempotency key of the first.`,
  ];
}

/** Without one given, the first step that the board has after the work. */
function reviewColumn(
  context: FailingScope<'VALIDATION_FAILED'>,
  board: BoardRecord,
  given: string | undefined,
): ColumnRecord {
  if (given === undefined) {
    return requireColumnOfRole(context, board, HANDED_OVER, 'give it one, or move the item yourself');
  }
  const to = columnMeant(board, given);
  if (to && to.role === 'review') return to;
  const review = columnOfRole(board, 'review');
  const message = review
    ? `must be the column ${review.name} (${review.id}) of board "${board.name}"`
    : `must be a column of the role review, and board "${board.name}" has none: leave it out, and the next step is taken`;
  throw context.fail('VALIDATION_FAILED', `reviewColumnId ${message}.`, {
    details: [{ path: 'reviewColumnId', message }],
  });
}
