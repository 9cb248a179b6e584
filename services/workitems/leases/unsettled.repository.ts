import mongoose from 'mongoose';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';

/** Items of all organizations whose lease has expired and was not settled. */
export function unsettledItems(now: Date, limit: number): Promise<ItemRecord[]> {
  return ItemModel.find({ 'lease.unsettledUntil': mongoose.trusted({ $lte: now }) })
    .limit(limit)
    .lean<ItemRecord[]>();
}

/** Whether an item still has the unsettled lease with which it was read. */
export async function isUnsettled({ _id, organizationId, lease }: ItemRecord): Promise<boolean> {
  const item = await ItemModel.findOne({ organizationId, _id }, { lease: 1 }).lean();
  return item?.lease?.token === lease?.token && item?.lease?.unsettledUntil !== undefined;
}
