import { PLAIN_FIELDS, type PlainField } from '@worktrack/contracts/work-items/plain-fields';
import type { LeaseState } from '@worktrack/contracts/work-items/work-item';
import { firstIdAt } from '@worktrack/runtime/process/uuid';
import type { ItemRecord } from '../items/items.model.ts';
import { shownLease } from '../items/lease.ts';

/** Fields that a filter compares as they are. */
export const LIKE = ['type', ...PLAIN_FIELDS, 'assignee', 'externalId'] as const;

/** Where listed items are, and what they are like. No part is implied by the others, so that one index covers most or all of it. */
export interface Where {
  readonly place: Partial<Pick<ItemRecord, 'projectId' | 'boardId' | 'boardColumnId' | 'parentId'>>;
  /** The project that all of it is in, if known. */
  readonly projectId: string | undefined;
  /** By field the values that it may have; the columns if there are several. */
  readonly like: Readonly<
    Partial<Record<(typeof LIKE)[number] | PlainField | 'boardColumnId' | 'projectId', readonly string[]>>
  >;
  /** The lease state of items held by an agent at a given time. */
  readonly held?: { readonly how: readonly (LeaseState | 'stalled')[]; readonly at: Date } | undefined;
  /** Exclusive. */
  readonly since: Partial<Pick<ItemRecord, 'createdAt' | 'updatedAt'>>;
}

/** As a filter. */
export function conditionsOf({ place, like, held, since }: Where): Readonly<Record<string, unknown>> {
  const { externalId: [externalId] = [], ...rest } = like;
  return {
    ...place,
    ...Object.fromEntries(Object.entries(rest).map(([field, values]) => [field, anyOf(values)])),
    // Repeats the condition of its partial index, which contains only items that have one.
    ...(externalId !== undefined && { externalId: { $eq: externalId, $exists: true } }),
    ...Object.fromEntries(Object.entries(since).map(([field, at]) => [field, { $gt: at }])),
    ...(held && heldSo(held)),
  };
}

const anyOf = (values: readonly unknown[]) => (values.length === 1 ? values[0] : { $in: values });

function heldSo({ how, at }: NonNullable<Where['held']>): Readonly<Record<string, unknown>> {
  const states = how.filter((state) => state !== 'stalled');
  if (states.length === how.length) return { 'lease.state': anyOf(states), 'lease.expiresAt': { $gt: at } };
  const live = { 'lease.state': { $in: ['working', 'awaiting_input'] }, 'lease.expiresAt': { $gt: at } };
  const stalled = { 'lease.stallsAt': { $lte: at } };
  return states.length === 0
    ? { ...live, ...stalled }
    : { ...live, $or: [{ 'lease.state': { $in: states } }, stalled] };
}

/** Bounds on ids for what was created since: they begin with the time. */
export function idsSince({ since }: Where): Readonly<Record<string, unknown>> | undefined {
  return since.createdAt && { $gt: firstIdAt(since.createdAt) };
}

/** Whether an item matches. */
export function holds({ place, like, held, since }: Where, item: Pick<ItemRecord, 'lease'>): boolean {
  const fields = item as unknown as Readonly<Record<string, unknown>>;
  const lease = held && shownLease(item.lease, held.at);
  const isHeldSo =
    !held || (!!lease && held.how.some((how) => (how === 'stalled' ? lease.stalled : lease.state === how)));
  return (
    isHeldSo &&
    Object.entries(place).every(([field, value]) => fields[field] === value) &&
    Object.entries(like).every(([field, values]) => values.includes(fields[field] as string)) &&
    Object.entries(since).every(([field, at]) => (fields[field] as Date) > at)
  );
}
