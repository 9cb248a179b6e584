import type { SortBy, SortKey } from '@worktrack/contracts/work-items/lists/list-filters';
import { type PlainField, PRIORITIES, type Priority } from '@worktrack/contracts/work-items/plain-fields';
import type { PageEnd } from '@worktrack/runtime/database/in-order';
import type { PipelineStage } from 'mongoose';
import type { Start } from '../../calls/paging.ts';
import { LISTED, type ListedItem } from '../../items/shown/views.ts';

/** Urgent first. */
export const BEST_FIRST: readonly Priority[] = [...PRIORITIES].reverse();

type KeyValue = string | number;

/** A key of a sort: how the database computes it, and what it is in a row. Ids are as old as their items (RFC 9562, 6.2). */
interface Key {
  readonly computed: (isReversed: boolean) => unknown;
  readonly of: (row: ListedItem, isReversed: boolean) => KeyValue;
  readonly kind: 'string' | 'number';
  /** As the database compares it. */
  readonly stored?: (value: KeyValue) => unknown;
}
const noDay = (isReversed: boolean) => (isReversed ? '' : '~');
const noNumber = (isReversed: boolean) => (isReversed ? -1 : MAX_TIME_MS);
/** What has none comes last in both directions. */
function plain(field: PlainField, kind: Key['kind'], none: (isReversed: boolean) => KeyValue): Key {
  return {
    computed: (isReversed) => ({ $ifNull: [`$${field}`, none(isReversed)] }),
    of: (row, isReversed) => row[field] ?? none(isReversed),
    kind,
  };
}

const KEYS: Readonly<Record<SortKey, Key>> = {
  priority: {
    computed: () => ({ $indexOfArray: [BEST_FIRST, '$priority'] }),
    of: ({ priority }) => BEST_FIRST.indexOf(priority),
    kind: 'number',
  },
  createdAt: { computed: () => '$_id', of: ({ _id }) => _id, kind: 'string' },
  updatedAt: {
    computed: () => '$updatedAt',
    of: ({ updatedAt }) => updatedAt.getTime(),
    kind: 'number',
    stored: (value) => new Date(value),
  },
  dueDate: plain('dueDate', 'string', noDay),
  estimate: plain('estimate', 'number', noNumber),
  title: { computed: () => beginOf('$title'), of: ({ title }) => title, kind: 'string' },
  assignee: {
    computed: (isReversed) => ({ $ifNull: [beginOf('$assignee'), noName(isReversed)] }),
    of: ({ assignee }, isReversed) => assignee ?? noName(isReversed),
    kind: 'string',
  },
};
/** In any case; as much as fits into a cursor. Of null, null. */
const beginOf = (field: string) => ({
  $cond: [{ $eq: [field, null] }, null, { $substrCP: [{ $toLower: field }, 0, MAX_COMPARED] }],
});
const MAX_COMPARED = 40;
const noName = (isReversed: boolean) => (isReversed ? '' : '\u{10ffff}');

/** Where a row stands in a sorted list: its keys, and among equal ones its id. */
export function placeInSort(by: readonly SortBy[], row: ListedItem): PageEnd {
  return {
    id: row._id,
    value: by.map(({ key, isReversed }, at) => computedAt(row, at) ?? KEYS[key].of(row, isReversed)),
  };
}

/** A text as the database has compared it: what it makes of letters beyond ASCII is its own affair. */
function computedAt(row: object, at: number): string | undefined {
  const value = (row as Readonly<Record<string, unknown>>)[nameOfKey(at)];
  return typeof value === 'string' ? value : undefined;
}
const nameOfKey = (at: number) => `sortKey${at}`;

/** What part of a sorted list to read. */
export interface Part {
  readonly after: PlaceInSort | undefined;
  readonly skip: number;
  readonly limit: number;
}
interface PlaceInSort {
  readonly id: string;
  readonly keys: readonly KeyValue[];
}

/** @returns undefined if it is no place in this sort: a cursor can be forged */
export function partOf(by: readonly SortBy[], { after, skip, limit }: Start): Part | undefined {
  if (!after) return { after, skip, limit };
  const { id, value } = after;
  const isOfSort =
    Array.isArray(value) &&
    value.length === by.length &&
    by.every(({ key }, at) => isOfKind(value[at], KEYS[key].kind));
  return isOfSort ? { after: { id, keys: value }, skip, limit } : undefined;
}

function isOfKind(value: unknown, kind: Key['kind']): boolean {
  if (kind === 'string') return typeof value === 'string';
  return Number.isFinite(value) && Math.abs(value as number) <= MAX_TIME_MS;
}

/** The bounds of a Date (ECMA-262, 21.4.1.1). */
const MAX_TIME_MS = 8.64e15;

/** Sorts everything that comes in; among equal keys the newest come first. */
export function sortStages(by: readonly SortBy[], { after, skip, limit }: Part): PipelineStage[] {
  const names = by.map((_, at) => nameOfKey(at));
  const computed = Object.fromEntries(by.map(({ key, isReversed }, at) => [names[at], KEYS[key].computed(isReversed)]));
  const directions = Object.fromEntries(by.map(({ isReversed }, at) => [names[at], isReversed ? -1 : 1]));
  return [
    { $project: { ...LISTED, ...computed } },
    ...(after ? [{ $match: { $or: beyond(by, names, after) } }] : []),
    { $sort: { ...(directions as Record<string, 1 | -1>), _id: -1 } },
    ...(skip > 0 ? [{ $skip: skip }] : []),
    { $limit: limit },
  ];
}

/** Keyset pagination over several keys: beyond in the first that differs. */
function beyond(by: readonly SortBy[], names: readonly string[], { id, keys }: PlaceInSort) {
  const values = by.map(({ key }, at) => KEYS[key].stored?.(keys[at] as KeyValue) ?? keys[at]);
  const equal = (upTo: number) => Object.fromEntries(names.slice(0, upTo).map((name, at) => [name, values[at]]));
  const conditions = by.map(({ isReversed }, at) => ({
    ...equal(at),
    [names[at] as string]: isReversed ? { $lt: values[at] } : { $gt: values[at] },
  }));
  return [...conditions, { ...equal(by.length), _id: { $lt: id } }];
}
