import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { transaction } from '@worktrack/runtime/database/transaction';
import { searchText } from '@worktrack/runtime/text/words';
import type { ClientSession } from 'mongoose';
import { emailKeyOf } from './erasure.repository.ts';
import { type ItemDocument, ItemModel } from './items.model.ts';

const BATCH = 500;
const BATCH_DEADLINE_MS = 60_000;

/**
 * Gives items of 0.1 the key by which an erasure finds those of an address, and folds their search texts as words are since (libs/runtime/text/words.ts). Before the
 * first call: an erasure that reports how much it erased must have found everything.
 */
export const foundByMigration: Migration = {
  name: 'feedback: what erasures and searches find items by',
  isUrgent: true,
  async batch(after) {
    const batch = await nextBatch<Pick<ItemDocument, '_id' | 'organizationId'>>(ItemModel, after, BATCH, {
      organizationId: 1,
    });
    for (const [organizationId, items] of Map.groupBy(batch, (item) => item.organizationId)) {
      const ids = items.map(({ _id }) => _id);
      // In one transaction, so that it conflicts with anybody who erases one of them meanwhile.
      await transaction(Date.now() + BATCH_DEADLINE_MS, (tx) => complete(organizationId, ids, tx));
    }
    return batch.at(-1)?._id;
  },
};

async function complete(organizationId: string, ids: readonly string[], tx: ClientSession): Promise<void> {
  const which = { organizationId, _id: oneOf(ids) };
  const fields = { message: 1, email: 1, emailKey: 1, searchText: 1 } as const;
  const items = await ItemModel.find(which, fields, { session: tx }).lean();
  const writes = items.flatMap(({ _id, message, email, ...before }) => {
    const found = { searchText: searchText(message, email ?? ''), ...(email && { emailKey: emailKeyOf(email) }) };
    if (found.searchText === before.searchText && found.emailKey === before.emailKey) return [];
    return { updateOne: { filter: { organizationId, _id }, update: { $set: found } } };
  });
  if (writes.length > 0) await ItemModel.bulkWrite(writes, { session: tx });
}
