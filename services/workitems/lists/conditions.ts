import { type AgentState, NONE } from '@worktrack/contracts/work-items/lists/list-filters';
import type { PlainField } from '@worktrack/contracts/work-items/plain-fields';
import type { ItemRecord } from '../items/items.model.ts';
import { shownLease } from '../items/lease.ts';
import type { ListedItem } from '../items/shown/views.ts';

type Query = Readonly<Record<string, unknown>>;

/** What decides whether an item is listed. */
export type Candidate = ListedItem & Pick<ItemRecord, 'foundBy'>;

/** A condition on items: as a query, and for an item that was found in another way. */
export interface Condition {
  readonly query: Query;
  readonly holds: (item: Candidate) => boolean;
}

/** Of a field, or of one of the entries of a list. @param values null: it has none */
export function isAnyOf(field: string, values: readonly (string | null)[]): Condition {
  return {
    query: { [field]: values.length === 1 ? values[0] : { $in: values } },
    holds: (item) => {
      const value = (item as unknown as Readonly<Record<string, string | string[] | null | undefined>>)[field];
      return [value ?? null].flat().some((each) => values.includes(each));
    },
  };
}

export function not({ query, holds }: Condition): Condition {
  return { query: { $nor: [query] }, holds: (item) => !holds(item) };
}

export function both(one: Condition, other: Condition): Condition {
  return {
    query: { $and: [one.query, other.query] },
    holds: (item) => one.holds(item) && other.holds(item),
  };
}

export function anyOf(all: readonly Condition[]): Condition {
  const [only, another] = all;
  if (only && !another) return only;
  return { query: { $or: all.map(({ query }) => query) }, holds: (item) => all.some(({ holds }) => holds(item)) };
}

/** Days, exclusive. */
export interface Between {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

type DayField = { [Name in PlainField]: string extends ListedItem[Name] ? Name : never }[PlainField];

/** Never so without a day. */
export function isBetween(field: DayField, { before, after = '' }: Between): Condition {
  return {
    // `$gt` is always there, with a string, so that null never matches.
    query: { [field]: { ...(before !== undefined && { $lt: before }), $gt: after } },
    holds: ({ [field]: day }) => !!day && day > after && (before === undefined || day < before),
  };
}

/** @param states `none`: no agent holds it */
export function isHeldSo(states: readonly AgentState[], at: Date): Condition {
  // The state for the sake of its index.
  const live = { 'lease.state': { $in: ['working', 'awaiting_input'] }, 'lease.expiresAt': { $gt: at } };
  const isFree: Condition = { query: { $nor: [live] }, holds: ({ lease }) => shownLease(lease, at) === null };
  const reported = states.filter((state) => state === 'working' || state === 'awaiting_input');
  const isStalled = states.includes('stalled');
  if (reported.length === 0 && !isStalled) return isFree;
  const stalled = { 'lease.stallsAt': { $lte: at } };
  const said = isAnyOf('lease.state', reported).query;
  const held: Condition = {
    query: { ...live, ...(!isStalled ? said : reported.length === 0 ? stalled : { $or: [said, stalled] }) },
    holds: ({ lease }) => {
      const shown = shownLease(lease, at);
      return !!shown && (reported.includes(shown.state) || (isStalled && shown.stalled));
    },
  };
  return states.includes(NONE) ? anyOf([held, isFree]) : held;
}

/** Merged into one filter: what names the same field, or alternatives, as parts of an `$and`. */
export function allOf(queries: readonly Query[]): Query {
  const merged: Record<string, unknown> = {};
  const apart: Query[] = [];
  for (const query of queries) {
    const isNew = Object.keys(query).every((field) => !(field in merged));
    if (isNew) Object.assign(merged, query);
    else apart.push(query);
  }
  return apart.length > 0 ? { ...merged, $and: apart } : merged;
}
