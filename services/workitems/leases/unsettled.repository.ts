import mongoose from 'mongoose';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';

/** Items of all organizations whose lease expired with tokens that nobody has completed. */
export function unsettledItems(now: Date, limit: number): Promise<ItemRecord[]> {
  return ItemModel.find({ 'lease.unsettledUntil': mongoose.trusted({ $lte: now }) })
    .limit(limit)
    .lean<ItemRecord[]>();
}
