import { isHandedOver, type Role, verdictIn } from '../boards/progress.ts';
import { isAssigned } from './claimable.ts';
import type { Attention, BlockedOn, ItemRecord, Need } from './items.model.ts';
import type { LeaseRecord } from './lease.model.ts';

type Watched = Pick<
  ItemRecord,
  | 'type'
  | 'boardColumnId'
  | 'lease'
  | 'returned'
  | 'abandoned'
  | 'previous'
  | 'assignee'
  | 'assigneeId'
  | 'claimedBy'
  | 'onReturnedBase'
  | 'waitsFor'
  | 'needs'
  | 'blocked'
  | 'assigned'
>;

const OVER: readonly Role[] = ['to_document', 'done'];

/**
 * What changes in it with a write.
 * @param before null: it is new
 * @param after `needs`, `blocked` and `assigned` still as before, or as the rule has set them
 * @returns the fields that differ
 */
export function attentionAfter(before: Watched | null, after: Watched, role: Role): Partial<Attention> {
  const now = new Date();
  const needs = needOf(before, after, role, now);
  const isAnothers = before?.assignee !== after.assignee;
  const assigned =
    isAssigned(after) && !OVER.includes(role) ? (!isAnothers && before?.assigned) || { since: now } : null;
  return {
    ...(!isSame(needs, before?.needs) && { needs }),
    ...(!isSame(assigned, before?.assigned) && { assigned }),
    ...blockedAfter(before, after, role),
  };
}

/**
 * A base that was done wrong blocks an item until the base is right, and as long as the item itself is not done. If the item is reopened, the base blocks it
 * again.
 * @param role undefined: where the item is has not changed
 */
export function blockedAfter(before: Watched | null, after: Watched, role?: Role): Pick<Partial<Attention>, 'blocked'> {
  const marks = after.onReturnedBase ?? [];
  const { since, on } = after.blocked ?? { since: new Date(), on: [] };
  const isLeft = ({ ref, taskId }: BlockedOn) =>
    marks.some(({ id }) => id === ref) || after.waitsFor.includes(ref) || after.waitsFor.includes(taskId);
  const again = role === undefined ? [] : marks.filter(({ id }) => on.every(({ ref }) => ref !== id));
  const all = [...on.filter(isLeft), ...again.map(({ id, taskId }) => ({ ref: id, taskId, why: 'returned' as const }))];
  const left = role !== undefined && OVER.includes(role) ? [] : all;
  if (left.length === 0) return after.blocked ? { blocked: null } : {};
  const isSame = left.length === on.length && again.length === 0;
  return isSame && after.blocked === before?.blocked ? {} : { blocked: { since, on: left } };
}

/** With one more thing that was done wrong. */
export function blockedOn(
  item: Pick<ItemRecord, 'blocked'>,
  base: BlockedOn,
  at: Date,
): NonNullable<Attention['blocked']> {
  const others = (item.blocked?.on ?? []).filter(({ ref }) => ref !== base.ref);
  return { since: item.blocked?.since ?? at, on: [...others, base] };
}

function needOf(before: Watched | null, after: Watched, role: Role, now: Date): Attention['needs'] {
  const judged = verdictIn(role);
  if (judged) {
    const isThere = before?.needs?.kind === judged && before.boardColumnId === after.boardColumnId;
    return { kind: judged, since: isThere && before?.needs ? before.needs.since : now };
  }
  if (after.type !== 'task' || isHandedOver(role)) return null;
  const { lease, returned } = after;
  if (lease) return needUnder(lease, now);
  if (returned) return { kind: 'returned', since: returned.at };
  if (!after.abandoned || isAssigned(after)) return null;
  return { kind: 'failed', since: after.previous?.at ?? now };
}

/** Of a task that an agent holds, or has let expire. */
export function needUnder(lease: LeaseRecord, now: Date): Attention['needs'] {
  if (!lease.unsettledUntil) return { kind: 'failed', since: lease.expiresAt };
  if (lease.state === 'awaiting_input') return { kind: 'question', since: lease.askedAt ?? now };
  return isStallTold(lease, now) ? { kind: 'stalled', since: lease.stallsAt } : null;
}

/** Whether the service has noticed (leases/settle.ts) that no heartbeat came in time. */
function isStallTold({ stallsAt, unsettledUntil }: LeaseRecord, now: Date): boolean {
  return stallsAt <= now && unsettledUntil !== undefined && unsettledUntil > stallsAt;
}

function isSame(one: { since: Date; kind?: Need } | null, other: { since: Date; kind?: Need } | null | undefined) {
  return one?.since.getTime() === other?.since.getTime() && one?.kind === other?.kind;
}
