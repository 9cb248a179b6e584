import { databaseServer } from '../server.ts';
import type { AnyModel } from '../walk-index.ts';

const REMOVED_AT_ONCE = 500;

type Key = { readonly _id: string };

/**
 * Removes what matches, without a transaction of the caller's, and in batches that each stay removed. One by one, which holds nothing while it waits: somebody
 * may be writing one of them in a transaction, which a `deleteMany` would wait for halfway.
 */
export async function removeEach(
  model: AnyModel,
  which: { readonly organizationId: string } & Readonly<Record<string, unknown>>,
): Promise<void> {
  const { organizationId } = which;
  for (;;) {
    const found: readonly Key[] = await model.find(which, { _id: 1 }).limit(REMOVED_AT_ONCE).lean();
    if (found.length === 0) return;
    const removals = found.map(({ _id }) => ({ deleteOne: { filter: { organizationId, _id } } }));
    await databaseServer().inOneCommit(removals.length, (options) => model.bulkWrite(removals, options));
  }
}
