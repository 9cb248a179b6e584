import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { emailKeyOf } from './erasure.repository.ts';
import { type ItemDocument, ItemModel } from './items.model.ts';

const BATCH = 500;

const FIELDS = { organizationId: 1, email: 1, emailKey: 1 } as const;
type Older = Pick<ItemDocument, '_id' | 'organizationId' | 'email' | 'emailKey'>;

/**
 * Adds to items with an address the key by which an erasure finds them. Before the first call: an erasure that reports how much it erased must have
 * found everything.
 */
export const emailKeyMigration: Migration = {
  name: 'feedback: the key that an erasure finds the items of an address by',
  isUrgent: true,
  async batch(after) {
    const batch = await nextBatch<Older>(ItemModel, after, BATCH, FIELDS);
    const writes = batch.flatMap(({ _id, organizationId, email, emailKey }) => {
      if (!email || emailKey !== undefined) return [];
      // The address is part of the filter, so that an item erased meanwhile does not get its key back.
      const filter = { organizationId, _id, email };
      return { updateOne: { filter, update: { $set: { emailKey: emailKeyOf(email) } } } };
    });
    if (writes.length > 0) await ItemModel.bulkWrite(writes, { ordered: false });
    return batch.at(-1)?._id;
  },
};
