import type { Log } from '@worktrack/rpc/types';
import { sweepEvery } from '@worktrack/runtime/process/sweep-every';
import { discardUnnamedContent } from './content.repository.ts';

const SWEEP_INTERVAL_MS = 10 * 60 * 1000;
/** Longer than any upload takes: the slowest sends a chunk every 15 s. */
const UNNAMED_FOR_MS = 24 * 60 * 60 * 1000;

/** Removes content that no attachment names. Any number of replicas may do so at once. */
export function sweepUnnamedContent(log: Log): { stop(): Promise<void> } {
  return sweepEvery(SWEEP_INTERVAL_MS, {
    log,
    async sweep() {
      const removed = await discardUnnamedContent(new Date(Date.now() - UNNAMED_FOR_MS));
      if (removed > 0) log.info({ removed }, 'Removed content that no attachment names');
    },
    failed: 'Could not remove content that no attachment names; trying again later',
  });
}
