import mongoose from 'mongoose';
import type { AnyModel } from '../walk-index.ts';

/** The next documents of a migration, in the order of `_id`. @param fields the ones it reads, since documents may be large */
export function nextBatch<Document extends { readonly _id: string }>(
  model: AnyModel,
  after: string,
  size: number,
  fields: Readonly<Partial<Record<string, 1>>> = {},
): Promise<Document[]> {
  return model
    .find({ _id: mongoose.trusted({ $gt: after }) }, fields)
    .sort({ _id: 1 })
    .limit(size)
    .lean();
}
