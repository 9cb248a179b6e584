import { FILTERED_FIELDS } from '@worktrack/contracts/work-items/plain-fields';
import type { LeaseState } from '@worktrack/contracts/work-items/work-item';
import { firstIdAt } from '@worktrack/runtime/process/uuid';
import type { ItemRecord } from '../items/items.model.ts';
import { shownLease } from '../items/lease.ts';

/** Fields that a filter compares as they are. */
export const LIKE = ['type', ...FILTERED_FIELDS, 'assignee', 'externalId'] as const;

/** Where listed items are, and what they are like. No part is implied by the others, so that one index covers most or all of it. */
export interface Where {
  readonly place: Partial<Pick<ItemRecord, 'projectId' | 'boardId' | 'boardColumnId' | 'parentId'>>;
  /** The project that all of it is in, if known. */
  readonly projectId: string | undefined;
  /** By field the values that it may have; the columns if there are several. */
  readonly like: Readonly<
    Partial<Record<(typeof LIKE)[number] | 'labels' | 'boardColumnId' | 'projectId', readonly string[]>>
  >;
  /** The lease state of items held by an agent at a given time. */
  readonly held?: { readonly how: readonly (LeaseState | 'stalled')[]; readonly at: Date } | undefined;
  readonly due?: Due | undefined;
  /** Exclusive. */
  readonly since: Partial<Pick<ItemRecord, 'createdAt' | 'updatedAt'>>;
}

/** By its due date: days, exclusive. */
interface Due {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Not in one of these columns. */
  readonly notIn?: readonly string[] | undefined;
}

/** As a filter. */
export function conditionsOf(where: Where): Readonly<Record<string, unknown>> {
  const { place, like, held, due, since } = where;
  const { externalId: [externalId] = [], ...rest } = like;
  return {
    ...place,
    ...Object.fromEntries(Object.entries(rest).map(([field, values]) => [field, anyOf(values)])),
    // Repeats the condition of its partial index, which contains only items that have one.
    ...(externalId !== undefined && { externalId: { $eq: externalId, $exists: true } }),
    ...Object.fromEntries(Object.entries(since).map(([field, at]) => [field, { $gt: at }])),
    ...(due && dueSo(where, due)),
    ...(held && heldSo(held)),
  };
}

function dueSo({ place, like }: Where, { before, after, notIn }: Due): Readonly<Record<string, unknown>> {
  const columns = place.boardColumnId ? [place.boardColumnId] : like.boardColumnId;
  return {
    // A string, whatever else: null is no day.
    dueDate: { ...(before !== undefined && { $lt: before }), $gt: after ?? '' },
    ...(notIn && { boardColumnId: columns ? anyOf(columns.filter((id) => !notIn.includes(id))) : { $nin: notIn } }),
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
export function holds(
  { place, like, held, due, since }: Where,
  item: Pick<ItemRecord, 'lease' | 'dueDate' | 'boardColumnId'>,
): boolean {
  const fields = item as unknown as Readonly<Record<string, unknown>>;
  const lease = held && shownLease(item.lease, held.at);
  const isHeldSo =
    !held || (!!lease && held.how.some((how) => (how === 'stalled' ? lease.stalled : lease.state === how)));
  return (
    isHeldSo &&
    (!due || isDue(due, item)) &&
    Object.entries(place).every(([field, value]) => fields[field] === value) &&
    Object.entries(like).every(([field, values]) =>
      [fields[field]].flat().some((value) => values.includes(value as string)),
    ) &&
    Object.entries(since).every(([field, at]) => (fields[field] as Date) > at)
  );
}

function isDue({ before, after = '', notIn }: Due, item: Pick<ItemRecord, 'dueDate' | 'boardColumnId'>): boolean {
  const { dueDate } = item;
  if (!dueDate || notIn?.includes(item.boardColumnId)) return false;
  return dueDate > after && (before === undefined || dueDate < before);
}
