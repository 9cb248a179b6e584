import type { LeaseState } from '@worktrack/contracts/work-items/work-item';
import type { ItemRecord } from '../items/items.model.ts';
import { shownLease } from '../items/lease.ts';

/** Where listed items are, and what they are like. Nothing of it follows from the rest, so that one index has most or all of it. */
export interface Where {
  readonly place: Partial<Pick<ItemRecord, 'projectId' | 'boardId' | 'boardColumnId' | 'parentId'>>;
  /** That all of it is in, where it is known. */
  readonly projectId: string | undefined;
  readonly like: Partial<Pick<ItemRecord, 'type' | 'priority' | 'assignee' | 'externalId'>>;
  /** How those are held that an agent holds at a time. */
  readonly held?: { readonly how: LeaseState | 'stalled'; readonly at: Date } | undefined;
}

/** As a filter. */
export function conditionsOf({ place, like, held }: Where): Readonly<Record<string, unknown>> {
  const { externalId, ...rest } = like;
  return {
    ...place,
    ...rest,
    // With the condition of its index, which holds the items that have one.
    ...(externalId !== undefined && { externalId: { $eq: externalId, $exists: true } }),
    ...(held && {
      'lease.state': held.how === 'stalled' ? { $in: ['working', 'awaiting_input'] } : held.how,
      'lease.expiresAt': { $gt: held.at },
      ...(held.how === 'stalled' && { 'lease.stallsAt': { $lte: held.at } }),
    }),
  };
}

/** Whether an item is among those. */
export function holds({ place, like, held }: Where, item: Pick<ItemRecord, 'lease'>): boolean {
  const fields = item as unknown as Readonly<Record<string, unknown>>;
  const lease = held && shownLease(item.lease, held.at);
  const isHeldSo = !held || (lease && (held.how === 'stalled' ? lease.stalled : lease.state === held.how));
  return !!isHeldSo && Object.entries({ ...place, ...like }).every(([field, value]) => fields[field] === value);
}
