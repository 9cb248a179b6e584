import type { Log } from '@worktrack/rpc/types';
import { transaction } from '@worktrack/runtime/database/transaction';
import mongoose, { type ClientSession } from 'mongoose';
import { foundBy } from './found-by.ts';
import { ItemModel, type ItemRecord } from './items.model.ts';

const BATCH = 500;
const BATCH_DEADLINE_MS = 60_000;

type Older = Pick<ItemRecord, '_id' | 'organizationId' | 'taskId' | 'parentId'> & { readonly foundBy?: string[] };
const FIELDS = { organizationId: 1, taskId: 1, parentId: 1, foundBy: 1 } as const;

/**
 * Gives the phrases of found-by.ts to items that were stored by a version which had none: without, no tree would find them. To be done before a call is
 * answered, at each start, since a replica of that version may still have been running at the last. With none left it is one look at the collection.
 * Other replicas may do the same, or already serve.
 */
export async function completeOlderItems(log: Log): Promise<void> {
  for (let done = 0; ; ) {
    const older = await ItemModel.find({ foundBy: mongoose.trusted({ $exists: false }) }, FIELDS).lean<Older[]>();
    if (older.length === 0) {
      if (done > 0) log.info({ items: done }, 'Completed items of an older version');
      return;
    }
    // From the top of the trees, since a child copies what its parent has.
    const waiting = new Set(older.map(({ _id }) => _id));
    const next = older.filter(({ parentId }) => parentId === null || !waiting.has(parentId));
    if (next.length === 0)
      throw new Error('Work items are each other’s ancestors: their parents must be put right first.');
    const ofOrganization = Map.groupBy(next, ({ organizationId }) => organizationId);
    for (const [organizationId, items] of ofOrganization) {
      for (let from = 0; from < items.length; from += BATCH) {
        const ids = items.slice(from, from + BATCH).map(({ _id }) => _id);
        await transaction(Date.now() + BATCH_DEADLINE_MS, (tx) => complete(organizationId, ids, tx));
      }
    }
    done += next.length;
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
