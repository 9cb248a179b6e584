import type { Input } from '@worktrack/contracts/operation';
import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import { FILTERED_FIELDS } from '@worktrack/contracts/work-items/plain-fields';
import { firstIdAt } from '@worktrack/runtime/process/uuid';
import type { ItemRecord } from '../items/items.model.ts';
import { allOf, type Between, type Candidate, type Condition, isAnyOf, isBetween } from './conditions.ts';

/** Fields that a filter compares as they are. */
export const LIKE = ['type', ...FILTERED_FIELDS, 'assignee', 'externalId'] as const;

export type ListFilter = Omit<Input<typeof listWorkItems>, 'page' | 'limit' | 'cursor' | 'search' | 'sort'>;

/** Where listed items are, and what they are like. No part is implied by the others, so that one index covers most or all of it. */
export interface Where {
  readonly place: Partial<Pick<ItemRecord, 'projectId' | 'boardId' | 'boardColumnId' | 'parentId'>>;
  /** The project that all of it is in, if known. */
  readonly projectId: string | undefined;
  /** By field the values that it may have, null for none; the columns if there are several. */
  readonly like: Readonly<
    Partial<Record<(typeof LIKE)[number] | 'labels' | 'boardColumnId' | 'projectId', readonly (string | null)[]>>
  >;
  /** Whatever else must hold. */
  readonly also: readonly Condition[];
  readonly due?: Due | undefined;
  /** Exclusive. */
  readonly since: Partial<Pick<ItemRecord, 'createdAt' | 'updatedAt'>>;
}

/** By its due date. */
interface Due extends Between {
  /** Not in one of these columns. */
  readonly notIn?: readonly string[] | undefined;
}

/** As a filter. */
export function conditionsOf({ place, like, also, due, since }: Where): Readonly<Record<string, unknown>> {
  const { externalId: [externalId] = [], ...rest } = like;
  return allOf([
    place,
    ...Object.entries(rest).map(([field, values]) => isAnyOf(field, values).query),
    // Repeats the condition of its partial index, which contains only items that have one.
    ...(externalId ? [{ externalId: { $eq: externalId, $exists: true } }] : []),
    Object.fromEntries(Object.entries(since).map(([field, at]) => [field, { $gt: at }])),
    ...(due ? dueSo(due) : []),
    ...also.map(({ query }) => query),
  ]);
}

export const isDueSo = (due: Due): Condition => ({ query: allOf(dueSo(due)), holds: (item) => isDue(due, item) });

function dueSo({ notIn, ...days }: Due): Readonly<Record<string, unknown>>[] {
  return [isBetween('dueDate', days).query, ...(notIn ? [{ boardColumnId: { $nin: notIn } }] : [])];
}

/** Bounds on the ids of items created since then: ids begin with the time. */
export function idsSince({ since }: Where): Readonly<Record<string, unknown>> | undefined {
  return since.createdAt && { $gt: firstIdAt(since.createdAt) };
}

/** Whether an item matches. */
export function holds({ place, like, also, due, since }: Where, item: Candidate): boolean {
  const fields = item as unknown as Readonly<Record<string, unknown>>;
  return (
    also.every((condition) => condition.holds(item)) &&
    (!due || isDue(due, item)) &&
    Object.entries(place).every(([field, value]) => fields[field] === value) &&
    Object.entries(like).every(([field, values]) => isAnyOf(field, values).holds(item)) &&
    Object.entries(since).every(([field, at]) => (fields[field] as Date) > at)
  );
}

function isDue({ notIn, ...days }: Due, item: Candidate): boolean {
  return isBetween('dueDate', days).holds(item) && !notIn?.includes(item.boardColumnId);
}
