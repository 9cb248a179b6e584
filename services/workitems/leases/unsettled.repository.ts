import mongoose from 'mongoose';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';

/** Items of all organizations about whose lease something is to be noticed: it has stalled, or expired. */
export function unsettledItems(now: Date, limit: number): Promise<ItemRecord[]> {
  return ItemModel.find({ 'lease.unsettledUntil': mongoose.trusted({ $lte: now }) })
    .limit(limit)
    .lean<ItemRecord[]>();
}

/** Whether nobody has noticed since the item was read. */
export async function isUnsettled({ _id, organizationId, lease }: ItemRecord): Promise<boolean> {
  const item = await ItemModel.findOne({ organizationId, _id }, { lease: 1 }).lean();
  const [there, read] = [item?.lease, lease];
  return there?.token === read?.token && there?.unsettledUntil?.getTime() === read?.unsettledUntil?.getTime();
}
