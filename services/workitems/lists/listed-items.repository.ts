import { inOrder, type Order, type PageEnd } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import type { Start } from '../calls/paging.ts';
import type { Scope } from '../calls/scope.ts';
import { within } from '../calls/within.repository.ts';
import { itself } from '../items/found-by.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { LISTED, type ListedItem, NAMED, type NamedItem } from '../items/shown/views.ts';
import type { Candidate } from './conditions.ts';
import { conditionsOf, idsSince, type Where } from './where.ts';

export type ItemOrder = 'newest' | 'column';
export const ORDERS = {
  newest: { field: '_id', direction: -1 },
  column: { field: 'position', direction: 1 },
} as const satisfies Record<ItemOrder, Order>;

export function placeIn(order: ItemOrder, { _id, position }: Pick<ItemRecord, '_id' | 'position'>): PageEnd {
  return { id: _id, value: order === 'newest' ? _id : position };
}

/** One item more than the page has, if there is one. */
export function pageOfItems(
  { caller }: Scope,
  where: Where,
  order: ItemOrder,
  { skip, after, limit }: Pick<Start, 'skip' | 'after' | 'limit'>,
): Promise<ListedItem[]> {
  return inOrder(ItemModel, {
    filter: { organizationId: caller.organizationId, ...conditionsOf(where) },
    order: ORDERS[order],
    ...(order === 'newest' && { range: idsSince(where) }),
    skip,
    after,
    limit: limit + 1,
    present: [{ $project: LISTED }],
  });
}

/** Which items match, and where they are. */
export type PlacedItem = Pick<ItemRecord, '_id' | 'boardColumnId' | 'position'>;

/** In no order. @returns undefined: more than the limit match */
export function placesOf(scope: Scope, where: Where, limit: number): Promise<PlacedItem[] | undefined> {
  return fewOf<PlacedItem>(scope, where, limit, { boardColumnId: 1, position: 1 });
}

/** The same, with all that a list shows. */
export function listedFew(scope: Scope, where: Where, limit: number): Promise<ListedItem[] | undefined> {
  return fewOf<ListedItem>(scope, where, limit, LISTED);
}

async function fewOf<Item>(
  { caller }: Scope,
  where: Where,
  limit: number,
  fields: Readonly<Record<string, 1>>,
): Promise<Item[] | undefined> {
  const found = await ItemModel.aggregate<Item>([
    { $match: { organizationId: caller.organizationId, ...conditionsOf(where) } },
    { $limit: limit + 1 },
    { $project: fields },
  ]);
  return found.length > limit ? undefined : found;
}

/** @param ref a UUID or a task ID */
export async function listedItem({ caller }: Scope, ref: string): Promise<(ListedItem & Candidate) | null> {
  return ItemModel.findOne({ ...within(caller), ...byRef(ref) }, CANDIDATE).lean<ListedItem & Candidate>();
}
/** With what else decides whether it is listed. */
const CANDIDATE = { ...LISTED, foundBy: 1 } as const;

/** @param refs UUIDs and task IDs */
export async function listedItems({ caller }: Scope, refs: readonly string[]): Promise<(ListedItem & Candidate)[]> {
  return ItemModel.find({ ...within(caller), foundBy: oneOf(refs.map(itself)) }, CANDIDATE).lean<
    (ListedItem & Candidate)[]
  >();
}

/** The newest epics of a project. */
export async function epicsOf({ caller }: Scope, projectId: string, limit: number): Promise<string[]> {
  const { organizationId } = caller;
  const epics = await ItemModel.find({ organizationId, projectId, type: 'epic' }, { _id: 1 })
    .sort({ _id: -1 })
    .limit(limit)
    .lean();
  return epics.map(({ _id }) => _id);
}

/** It need not check whether they exist for the caller: all items above an item are in its project. */
export async function namedById({ caller }: Scope, ids: Iterable<string>): Promise<Map<string, NamedItem>> {
  const wanted = [...ids];
  if (wanted.length === 0) return new Map();
  const { organizationId } = caller;
  const found = await ItemModel.find({ organizationId, _id: oneOf(wanted) }, NAMED).lean<NamedItem[]>();
  return new Map(found.map((item) => [item._id, item]));
}

/** @param ref a UUID or a task ID */
export async function placeOfParent(
  { caller }: Scope,
  ref: string,
): Promise<Pick<ItemRecord, '_id' | 'projectId'> | null> {
  return ItemModel.findOne({ ...within(caller), ...byRef(ref) }, { projectId: 1 }).lean();
}

const UUID_LENGTH = 36;
const byRef = (ref: string) => (ref.length === UUID_LENGTH ? { _id: ref } : { taskId: ref });
