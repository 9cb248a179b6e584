import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { transaction } from '@worktrack/runtime/database/transaction';
import mongoose, { type ClientSession } from 'mongoose';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { foundBy } from '../trees/found-by.ts';

const BATCH = 500;
const BATCH_DEADLINE_MS = 60_000;

type Older = Pick<ItemRecord, '_id' | 'organizationId' | 'taskId' | 'parentId'> & { readonly foundBy?: string[] };
const FIELDS = { organizationId: 1, taskId: 1, parentId: 1, foundBy: 1 } as const;

/** Gives the phrases of found-by.ts to items that were stored by a version which had none: without, no tree would find them. */
export const foundByMigration: Migration = {
  name: 'work items: the phrases that they are found by',
  isUrgent: true,
  async batch(after) {
    const batch = await ItemModel.find({ _id: mongoose.trusted({ $gt: after }) }, FIELDS)
      .sort({ _id: 1 })
      .limit(BATCH)
      .lean<Older[]>();
    await completeWithAncestors(batch.filter((item) => item.foundBy === undefined));
    return batch.at(-1)?._id;
  },
};

/** An item copies what its parent has, so from the top of the trees; what is above the batch comes with it. */
async function completeWithAncestors(batch: readonly Older[]): Promise<void> {
  const waiting = new Map(batch.map((item) => [item._id, item]));
  for (let found = [...waiting.values()]; found.length > 0; ) {
    const parentIds = found.flatMap(({ parentId }) => (parentId === null || waiting.has(parentId) ? [] : parentId));
    const parents = await ItemModel.find({ _id: mongoose.trusted({ $in: [...new Set(parentIds)] }) }, FIELDS).lean<
      Older[]
    >();
    found = parents.filter((parent) => parent.foundBy === undefined);
    for (const parent of found) waiting.set(parent._id, parent);
  }
  while (waiting.size > 0) {
    const next = [...waiting.values()].filter(({ parentId }) => parentId === null || !waiting.has(parentId));
    if (next.length === 0) {
      throw new Error('Work items are each other’s ancestors: their parents must be put right first.');
    }
    for (const [organizationId, items] of Map.groupBy(next, (item) => item.organizationId)) {
      const ids = items.map(({ _id }) => _id);
      await transaction(Date.now() + BATCH_DEADLINE_MS, (tx) => complete(organizationId, ids, tx));
    }
    for (const { _id } of next) waiting.delete(_id);
  }
}

async function complete(organizationId: string, ids: readonly string[], tx: ClientSession): Promise<void> {
  const read = (which: readonly string[]) =>
    ItemModel.find({ organizationId, _id: mongoose.trusted({ $in: which }) }, FIELDS)
      .session(tx)
      .lean<Older[]>();
  const older = (await read(ids)).filter((item) => item.foundBy === undefined);
  if (older.length === 0) return;
  const parentIds = [...new Set(older.flatMap(({ parentId }) => parentId ?? []))];
  const parents = new Map((await read(parentIds)).map((parent) => [parent._id, parent]));
  // So that this conflicts with who gives a parent other ancestors meanwhile.
  await ItemModel.updateMany(
    { organizationId, _id: mongoose.trusted({ $in: parentIds }) },
    { $inc: { revision: 1 } },
    { session: tx },
  );
  await ItemModel.bulkWrite(
    older.map((item) => {
      const parent = item.parentId === null ? undefined : parents.get(item.parentId);
      const phrases = foundBy(item, parent ? { ...parent, foundBy: parent.foundBy ?? [] } : null);
      return {
        updateOne: {
          filter: { organizationId, _id: item._id },
          update: { $set: { foundBy: phrases }, $inc: { revision: 1 } },
        },
      };
    }),
    { session: tx },
  );
}
