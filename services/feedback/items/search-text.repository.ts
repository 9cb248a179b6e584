import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { transaction } from '@worktrack/runtime/database/transaction';
import { searchText } from '@worktrack/runtime/text/words';
import type { ClientSession } from 'mongoose';
import { type ItemDocument, ItemModel } from './items.model.ts';

const BATCH = 500;
const BATCH_DEADLINE_MS = 60_000;

/** Rewrites search texts that another version folded differently (libs/runtime/text/words.ts). */
export const searchTextMigration: Migration = {
  name: 'search of feedback: parts of unspaced words, letters that are one with others',
  isUrgent: false,
  async batch(after) {
    const batch = await nextBatch<Pick<ItemDocument, '_id' | 'organizationId'>>(ItemModel, after, BATCH, {
      organizationId: 1,
    });
    for (const [organizationId, items] of Map.groupBy(batch, (item) => item.organizationId)) {
      const ids = items.map(({ _id }) => _id);
      // In one transaction, so that it conflicts with anybody who erases one of them meanwhile.
      await transaction(Date.now() + BATCH_DEADLINE_MS, (tx) => refold(organizationId, ids, tx));
    }
    return batch.at(-1)?._id;
  },
};

async function refold(organizationId: string, ids: readonly string[], tx: ClientSession): Promise<void> {
  const which = { organizationId, _id: oneOf(ids) };
  const fields = { message: 1, email: 1, searchText: 1 } as const;
  const items = await ItemModel.find(which, fields).session(tx).lean();
  const writes = items.flatMap((item) => {
    const folded = searchText(item.message, item.email ?? '');
    if (folded === item.searchText) return [];
    return { updateOne: { filter: { organizationId, _id: item._id }, update: { $set: { searchText: folded } } } };
  });
  if (writes.length > 0) await ItemModel.bulkWrite(writes, { session: tx });
}
