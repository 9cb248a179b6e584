import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { transaction } from '@worktrack/runtime/database/transaction';
import type { ClientSession } from 'mongoose';
import { attachmentsOf } from '../attachments/attachments.repository.ts';
import { latestComments } from '../history/history.repository.ts';
import { ItemModel } from '../items/items.model.ts';
import { SearchModel, type SearchRecord } from '../search/search.model.ts';
import { entryOf, saidIn } from '../search/search.repository.ts';

const BATCH = 200;
const BATCH_DEADLINE_MS = 60_000;

type Entry = Pick<SearchRecord, '_id' | 'organizationId' | 'words' | 'prefixes'>;

/** Rewrites entries whose words another version folded differently (libs/runtime/text/words.ts), or that do not know what was said about their items. */
export const searchWordsMigration: Migration = {
  name: 'search of work items: comments and the names of attachments',
  isUrgent: false,
  async batch(after) {
    const batch = await nextBatch<Pick<Entry, '_id' | 'organizationId'>>(SearchModel, after, BATCH, {
      organizationId: 1,
    });
    for (const [organizationId, entries] of Map.groupBy(batch, (entry) => entry.organizationId)) {
      const ids = entries.map(({ _id }) => _id);
      // In one transaction, so that it conflicts with anybody who changes the words of one of them meanwhile.
      await transaction(Date.now() + BATCH_DEADLINE_MS, (tx) => refold(organizationId, ids, tx));
    }
    return batch.at(-1)?._id;
  },
};

async function refold(organizationId: string, ids: readonly string[], tx: ClientSession): Promise<void> {
  const which = { organizationId, _id: oneOf(ids) };
  const entries = await SearchModel.find(which, null, { session: tx }).lean<Entry[]>();
  const items = await ItemModel.find(which, { title: 1, description: 1, revision: 1 }, { session: tx }).lean();
  const byId = new Map(items.map((item) => [item._id, item]));
  const scope = { caller: { organizationId }, tx };
  const writes = [];
  for (const entry of entries) {
    const item = byId.get(entry._id);
    if (!item) continue;
    const names = (await attachmentsOf(scope, item._id)).map(({ fileName }) => fileName);
    const folded = entryOf(item, saidIn([...names, ...(await latestComments(scope, item))]));
    if (folded.words === entry.words && folded.prefixes.length === entry.prefixes.length) continue;
    writes.push({ updateOne: { filter: { organizationId, _id: entry._id }, update: { $set: folded } } });
  }
  if (writes.length > 0) await SearchModel.bulkWrite(writes, { session: tx });
}
