import type { Log } from '@worktrack/rpc/types';
import { flush } from '@worktrack/runtime/database/flush';
import { transaction } from '@worktrack/runtime/database/transaction';
import { WriteSet } from '@worktrack/runtime/database/write-set';
import { record } from '../history/history.repository.ts';
import { adjustItem } from '../items/item-writes.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { abandonSession } from '../usage/abandoned.ts';
import { unsettledItems } from './unsettled.repository.ts';

const SWEEP_INTERVAL_MS = 15_000;
const BATCH = 50;
const DEADLINE_MS = 10_000;

/**
 * A lease that expires ends without a write. Where its agent told of tokens by beats, and nobody claimed, moved or completed the item since, the service
 * records them itself. Any number of replicas may do so at once.
 */
export function sweepEndedLeases(log: Log): { stop(): void } {
  const sweep = async () => {
    try {
      await settleEndedLeases(new Date());
    } catch (error) {
      log.warn({ error }, 'Could not record what was spent under leases that have expired; trying again later');
    }
  };
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** @returns how many sessions were recorded */
export async function settleEndedLeases(now: Date): Promise<number> {
  let settled = 0;
  for (;;) {
    const items = await unsettledItems(now, BATCH);
    const outcomes = await Promise.all(items.map(settle));
    const done = outcomes.filter(Boolean).length;
    settled += done;
    // The others were written meanwhile, and so are settled, or not expired any more.
    if (items.length < BATCH || done === 0) return settled;
  }
}

async function settle(item: ItemRecord): Promise<boolean> {
  const { lease, organizationId, revision, _id } = item;
  if (!lease) return false;
  const { report: _, unsettledUntil: __, ...rest } = lease;
  const writes = new WriteSet();
  const scope = { caller: { organizationId, userId: lease.userId, keyId: lease.keyId }, writes };
  const events = abandonSession(scope, item);
  adjustItem(scope, item, { lease: rest });
  record(
    scope,
    events.map((event) => ({ ...event, item: { _id, revision: revision + 1 } })),
  );
  try {
    await transaction(Date.now() + DEADLINE_MS, async (tx) => {
      const [error] = (await flush(tx, [writes])).values();
      if (error) throw error;
    });
    return true;
  } catch {
    // Somebody else was first, or the next sweep is.
    return false;
  }
}
