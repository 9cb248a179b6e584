import { inOrder, type Order, type Place } from '@worktrack/runtime/database/in-order';
import mongoose from 'mongoose';
import type { Start } from '../calls/paging.ts';
import type { Scope } from '../calls/scope.ts';
import { within } from '../calls/within.repository.ts';
import { itself } from '../items/found-by.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { LISTED, type ListedItem } from '../items/views.ts';
import { conditionsOf, idsSince, type Where } from './where.ts';

export type ItemOrder = 'newest' | 'column';
export const ORDERS = {
  newest: { field: '_id', direction: -1 },
  column: { field: 'position', direction: 1 },
} as const satisfies Record<ItemOrder, Order>;

export function placeIn(order: ItemOrder, { _id, position }: Pick<ItemRecord, '_id' | 'position'>): Place {
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

/** @param ref a UUID or a task ID */
export async function listedItem({ caller }: Scope, ref: string): Promise<ListedItem | null> {
  return ItemModel.findOne({ ...within(caller), ...byRef(ref) }, LISTED).lean<ListedItem>();
}

/** @param refs UUIDs and task IDs */
export async function listedItems({ caller }: Scope, refs: readonly string[]): Promise<ListedItem[]> {
  return ItemModel.find({ ...within(caller), foundBy: mongoose.trusted({ $in: refs.map(itself) }) }, LISTED).lean<
    ListedItem[]
  >();
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
