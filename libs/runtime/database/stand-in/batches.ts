import mongoose from 'mongoose';
import type { AnyModel } from '../walk-index.ts';

/** For how many batches one read of the ids lasts. */
const BATCHES_AHEAD = 100;

interface Named {
  readonly _id: string;
}

/** Of the collection that was read last: a process goes through one at a time. */
let ahead: { readonly collection: string; readonly after: string; readonly ids: readonly string[] } | undefined;

/**
 * The next documents in the order of `_id`, for a server that uses no index for a range of `_id`: each such read goes through the whole
 * collection. So the ids of many batches are read at once and remembered, and the documents are read by them.
 */
export async function batchByIds<Document extends Named>(
  model: AnyModel,
  after: string,
  size: number,
  fields: Readonly<Partial<Record<string, 1>>>,
): Promise<Document[]> {
  const ids = await idsAfter(model, after, size);
  const last = ids.at(-1);
  if (last === undefined) return [];
  const found = await model
    .find({ _id: mongoose.trusted({ $in: ids }) }, fields)
    .sort({ _id: 1 })
    .lean();
  // All of these have been deleted since their ids were read.
  return found.length > 0 ? found : batchByIds(model, last, size, fields);
}

async function idsAfter(model: AnyModel, after: string, size: number): Promise<readonly string[]> {
  const remembered = remainder(model, after);
  if (remembered.length >= size) return remembered.slice(0, size);
  const found: readonly Named[] = await model
    .find({ _id: mongoose.trusted({ $gt: after }) }, { _id: 1 })
    .sort({ _id: 1 })
    .limit(size * BATCHES_AHEAD)
    .lean();
  ahead = { collection: model.collection.name, after, ids: found.map(({ _id }) => _id) };
  return ahead.ids.slice(0, size);
}

function remainder(model: AnyModel, after: string): readonly string[] {
  if (ahead?.collection !== model.collection.name || after < ahead.after) return [];
  const next = ahead.ids.findIndex((id) => id > after);
  return next < 0 ? [] : ahead.ids.slice(next);
}
