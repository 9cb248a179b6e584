import type { Log } from '@worktrack/rpc/types';
import { discardUnnamedContent } from './content.repository.ts';

const SWEEP_INTERVAL_MS = 10 * 60 * 1000;
/** Longer than any upload takes: the slowest one sends a chunk each 15 s. */
const UNNAMED_FOR_MS = 24 * 60 * 60 * 1000;

/** Removes content that no attachment names, now and then for as long as the service runs. Any number of replicas may do so at once. */
export function sweepUnnamedContent(log: Log): { stop(): void } {
  const sweep = async () => {
    try {
      const removed = await discardUnnamedContent(new Date(Date.now() - UNNAMED_FOR_MS));
      if (removed > 0) log.info({ removed }, 'Removed content that no attachment names');
    } catch (error) {
      log.warn({ error }, 'Could not remove content that no attachment names; trying again later');
    }
  };
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
