import type { Log } from '@worktrack/rpc/types';
import { commitUnlessStale } from '@worktrack/runtime/database/writes/group-commit';
import { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import { registry } from '@worktrack/runtime/process/metrics';
import { sweepEvery } from '@worktrack/runtime/process/sweep-every';
import { Gauge } from 'prom-client';
import { needUnder } from '../items/attention.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { isLive } from '../items/lease.ts';
import { abandonSession } from '../writes/abandoned.ts';
import { adjustItem } from '../writes/change-item.ts';
import { expiry } from '../writes/ended-lease.ts';
import { isUnsettled, unsettledItems } from './unsettled.repository.ts';

/** A waiting agent learns of a task that another left within two seconds of the end of the lease, and people as soon that one has stalled. */
const SWEEP_INTERVAL_MS = 1_000;
const BATCH = 100;
const DEADLINE_MS = 10_000;
/** Of one sweep, in which everything was somebody else's before it could be settled. The next sweep goes on. */
const MAX_FRUITLESS_ROUNDS = 5;

/** Undefined: this process has not swept yet. */
let sweptAtMs: number | undefined;
const lag: Gauge = new Gauge({
  name: 'worktrack_lease_sweep_lag_seconds',
  help: 'Time since this process last looked for leases that have ended, and settled them.',
  registers: [registry],
  collect: () => lag.set(sweptAtMs === undefined ? 0 : (performance.now() - sweptAtMs) / 1_000),
});

/**
 * A lease expires without a write. Unless somebody claims, moves or completes the item at that moment, the service itself reports that it has ended
 * and records the tokens that its agent reported. Any number of replicas may do so at once: each lease is settled by one of them.
 */
export function sweepEndedLeases(log: Log): { stop(): Promise<void> } {
  sweptAtMs = performance.now();
  return sweepEvery(SWEEP_INTERVAL_MS, {
    log,
    async sweep() {
      await settleEndedLeases(new Date());
      sweptAtMs = performance.now();
    },
    failed: 'Could not report expired leases and record what was spent under them; trying again',
  });
}

/** Reports those that have stalled, too. @returns how many were written */
export async function settleEndedLeases(now: Date): Promise<number> {
  let settled = 0;
  for (let fruitless = 0; fruitless < MAX_FRUITLESS_ROUNDS; ) {
    const items = await unsettledItems(now, BATCH);
    const outcomes = await Promise.all(items.map((item) => settle(item, now)));
    const done = outcomes.filter(Boolean).length;
    settled += done;
    if (done === items.length && items.length < BATCH) break;
    // The others have been written meanwhile, which does not mean that they are settled: a comment is a write, too.
    fruitless = done === 0 ? fruitless + 1 : 0;
  }
  return settled;
}

/** @returns false if somebody else was first */
async function settle(item: ItemRecord, now: Date): Promise<boolean> {
  const { lease, organizationId } = item;
  if (!lease) return false;
  const { report: _, unsettledUntil: __, ...rest } = lease;
  const writes = new WriteSet();
  const scope = {
    caller: { organizationId, userId: lease.userId, keyId: lease.keyId },
    writes,
    by: 'service' as const,
  };
  if (isLive(lease, now)) {
    const stalled = { ...lease, unsettledUntil: lease.expiresAt };
    adjustItem(scope, item, { lease: stalled, needs: needUnder(stalled, now) });
  } else {
    const { events, abandoned } = abandonSession(scope, item);
    const set = { lease: rest, isAiProcessing: false, needs: needUnder(rest, now), ...(abandoned && { abandoned }) };
    adjustItem(scope, item, set, [expiry(lease), ...events]);
  }
  return commitUnlessStale(writes, Date.now() + DEADLINE_MS, async () => !(await isUnsettled(item)));
}
