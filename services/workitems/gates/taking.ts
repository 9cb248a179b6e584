import type { ColumnRecord } from '../boards/boards.model.ts';
import { endsLease } from '../boards/progress.ts';
import type { FailingScope, WriteScope } from '../calls/scope.ts';
import type { NewEvent } from '../history/history.repository.ts';
import type { ItemChanges } from '../items/after-change.ts';
import type { ItemRecord } from '../items/items.model.ts';
import type { LeaseRecord } from '../items/lease.model.ts';
import { isLive } from '../items/lease.ts';

type Held = Pick<ItemRecord, 'taskId' | 'assignee' | 'lease'>;

/** What a write that ends a live lease does besides, and what its caller is told. */
export interface Taken {
  readonly changes: Pick<ItemChanges, 'assignee' | 'assigneeId' | 'claimedBy' | 'isAiProcessing'>;
  readonly events: readonly NewEvent[];
  readonly warnings: readonly string[];
}
const NOTHING: Taken = { changes: {}, events: [], warnings: [] };

/** Taking a task away is deliberate: another key may end a live lease only if it says so, and then what the lease had set ends with it. */
export function takeFrom(
  { caller, fail }: WriteScope & FailingScope<'CONFLICT'>,
  item: Held,
  to: ColumnRecord,
  takeOver: boolean | undefined,
): Taken {
  const problem = takingProblem(item, to, { keyId: caller.keyId, takeOver });
  if (problem)
    throw fail('CONFLICT', problem, {
      reason: 'held',
      details: [{ path: 'takeOver', message: 'pass takeOver: true' }],
    });
  return takenFrom(item, to, caller.keyId);
}

/** Why the item cannot go there now; undefined if it can. */
export function takingProblem(
  { taskId, lease }: Held,
  to: ColumnRecord,
  { keyId, takeOver }: { readonly keyId: string; readonly takeOver: boolean | undefined },
): string | undefined {
  const now = new Date();
  if (takeOver || !isLive(lease, now) || lease.keyId === keyId || !endsLease(to.role)) return undefined;
  return `${taskId} is held by ${lease.agent} until ${lease.expiresAt.toISOString()}, and this would end its lease. Wait, ask in a comment, or pass takeOver: true.`;
}

export function takenFrom(item: Held, to: ColumnRecord, keyId: string): Taken {
  const { taskId, lease } = item;
  if (!isLive(lease, new Date()) || !endsLease(to.role)) return NOTHING;
  if (lease.keyId === keyId) return { ...NOTHING, warnings: [`The lease of ${lease.agent} on ${taskId} has ended.`] };
  return {
    ...givenBack(item, lease),
    warnings: [`${taskId} was taken from ${lease.agent}, whose lease has ended.`],
  };
}

/** What a claim had set is again as it was before, and the history says so. */
export function givenBack(
  { assignee: from }: Pick<ItemRecord, 'assignee'>,
  { before: { assignee: to, assigneeId = null, claimedBy = null, isAiProcessing } }: LeaseRecord,
): Pick<Taken, 'changes' | 'events'> {
  const updated: NewEvent = { type: 'work_item.updated', data: { changes: { assignee: { from, to } } } };
  return { changes: { assignee: to, assigneeId, claimedBy, isAiProcessing }, events: from === to ? [] : [updated] };
}
