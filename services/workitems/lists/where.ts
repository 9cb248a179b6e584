import { PLAIN_FIELDS } from '@worktrack/contracts/work-items/plain-fields';
import type { LeaseState } from '@worktrack/contracts/work-items/work-item';
import type { ItemRecord } from '../items/items.model.ts';
import { shownLease } from '../items/lease.ts';

/** Fields that a filter compares as they are. */
export const LIKE = ['type', ...PLAIN_FIELDS, 'assignee', 'externalId'] as const;

/** Where listed items are, and what they are like. No part is implied by the others, so that one index covers most or all of it. */
export interface Where {
  readonly place: Partial<Pick<ItemRecord, 'projectId' | 'boardId' | 'boardColumnId' | 'parentId'>>;
  /** The project that all of it is in, if known. */
  readonly projectId: string | undefined;
  readonly like: Partial<Pick<ItemRecord, (typeof LIKE)[number]>>;
  /** The lease state of items held by an agent at a given time. */
  readonly held?: { readonly how: LeaseState | 'stalled'; readonly at: Date } | undefined;
}

/** As a filter. */
export function conditionsOf({ place, like, held }: Where): Readonly<Record<string, unknown>> {
  const { externalId, ...rest } = like;
  return {
    ...place,
    ...rest,
    // Repeats the condition of its partial index, which contains only items that have one.
    ...(externalId !== undefined && { externalId: { $eq: externalId, $exists: true } }),
    ...(held && {
      'lease.state': held.how === 'stalled' ? { $in: ['working', 'awaiting_input'] } : held.how,
      'lease.expiresAt': { $gt: held.at },
      ...(held.how === 'stalled' && { 'lease.stallsAt': { $lte: held.at } }),
    }),
  };
}

/** Whether an item matches. */
export function holds({ place, like, held }: Where, item: Pick<ItemRecord, 'lease'>): boolean {
  const fields = item as unknown as Readonly<Record<string, unknown>>;
  const lease = held && shownLease(item.lease, held.at);
  const isHeldSo = !held || (lease && (held.how === 'stalled' ? lease.stalled : lease.state === held.how));
  return !!isHeldSo && Object.entries({ ...place, ...like }).every(([field, value]) => fields[field] === value);
}
