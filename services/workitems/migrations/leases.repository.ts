import type { Migration } from '@worktrack/runtime/database/migrations/migrate';
import { nextBatch } from '@worktrack/runtime/database/migrations/next-batch';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import type { LeaseRecord } from '../items/lease.model.ts';
import { isLive } from '../items/lease.ts';

const BATCH = 500;
const FIELDS = {
  organizationId: 1,
  'lease.token': 1,
  'lease.agent': 1,
  'lease.expiresAt': 1,
  'lease.unsettledUntil': 1,
} as const;
type Held = Pick<ItemRecord, '_id' | 'organizationId'> & { readonly lease: OlderLease | null };
type OlderLease = Pick<LeaseRecord, 'token' | 'expiresAt' | 'unsettledUntil'> & { readonly agent?: string };

/** Makes the expiry of an earlier version's leases reportable, too (settle.ts). */
export const leasesMigration: Migration = {
  name: 'work items: leases whose end is told',
  isUrgent: false,
  async batch(after) {
    const batch = await nextBatch<Held>(ItemModel, after, BATCH, FIELDS);
    const writes = batch.flatMap(({ _id, organizationId, lease }) =>
      lease ? toBeTold(_id, organizationId, lease) : [],
    );
    if (writes.length > 0) await ItemModel.bulkWrite(writes, { ordered: false });
    return batch.at(-1)?._id;
  },
};

function toBeTold(_id: string, organizationId: string, { token, agent, expiresAt, unsettledUntil }: OlderLease) {
  // One that was settled looks the same, except for who held it: 0.1 did not keep that, and from here on it counts as unknown.
  const isTold = unsettledUntil !== undefined || (agent !== undefined && !isLive({ expiresAt }, new Date()));
  if (isTold) return [];
  const filter = { organizationId, _id, 'lease.token': token, 'lease.expiresAt': expiresAt };
  const $set = { 'lease.unsettledUntil': expiresAt, 'lease.agent': agent ?? 'unknown' };
  // Anybody who has read it before starts over.
  return [{ updateOne: { filter, update: { $set, $inc: { revision: 1 } } } }];
}
