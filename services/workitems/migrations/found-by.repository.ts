import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { transaction } from '@worktrack/runtime/database/transaction';
import type { ClientSession } from 'mongoose';
import { foundBy } from '../items/found-by.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';

const BATCH = 500;
const BATCH_DEADLINE_MS = 60_000;

type Older = Pick<ItemRecord, '_id' | 'organizationId' | 'taskId' | 'parentId'> & { readonly foundBy?: string[] };
const FIELDS = { organizationId: 1, taskId: 1, parentId: 1, foundBy: 1 } as const;

/** Adds the phrases of found-by.ts to items stored by a version without them: otherwise no tree query would find them. */
export const foundByMigration: Migration = {
  name: 'work items: the phrases that they are found by',
  isUrgent: true,
  async batch(after) {
    const batch = await nextBatch<Older>(ItemModel, after, BATCH, FIELDS);
    await completeWithAncestors(batch.filter((item) => item.foundBy === undefined));
    return batch.at(-1)?._id;
  },
};

/** An item copies its parent's phrases, so this works down from the roots; the ancestors of the batch are included. */
async function completeWithAncestors(batch: readonly Older[]): Promise<void> {
  const waiting = new Map(batch.map((item) => [item._id, item]));
  for (let found = [...waiting.values()]; found.length > 0; ) {
    const parentIds = found.flatMap(({ parentId }) => (parentId === null || waiting.has(parentId) ? [] : parentId));
    const parents = await ItemModel.find({ _id: oneOf(parentIds) }, FIELDS).lean<Older[]>();
    found = parents.filter((parent) => parent.foundBy === undefined);
    for (const parent of found) waiting.set(parent._id, parent);
  }
  while (waiting.size > 0) {
    const next = [...waiting.values()].filter(({ parentId }) => parentId === null || !waiting.has(parentId));
    if (next.length === 0) {
      throw new Error('Work items are each other’s ancestors: correct their parents first.');
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
    ItemModel.find({ organizationId, _id: oneOf(which) }, FIELDS)
      .session(tx)
      .lean<Older[]>();
  const older = (await read(ids)).filter((item) => item.foundBy === undefined);
  if (older.length === 0) return;
  const parentIds = [...new Set(older.flatMap(({ parentId }) => parentId ?? []))];
  const parents = new Map((await read(parentIds)).map((parent) => [parent._id, parent]));
  // So that this conflicts with anybody who changes a parent's ancestors meanwhile.
  await ItemModel.updateMany({ organizationId, _id: oneOf(parentIds) }, { $inc: { revision: 1 } }, { session: tx });
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
