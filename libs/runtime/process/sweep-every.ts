import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@worktrack/rpc/types';

/**
 * Runs a task periodically for as long as the service runs, never overlapping. A failure is logged once, until the task succeeds again.
 * @param failed the message to log
 * @param isFirstDue whether it runs at once too, not only after the first interval
 */
export function sweepEvery(
  intervalMs: number,
  { log, sweep, failed }: { readonly log: Log; readonly sweep: () => Promise<void>; readonly failed: string },
  isFirstDue = false,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = (async () => {
    let hasFailed = false;
    for (let isDue = isFirstDue; ; isDue = false) {
      if (!isDue) await delay(intervalMs, undefined, { signal, ref: false });
      try {
        await sweep();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) log.warn({ error }, failed);
        hasFailed = true;
      }
    }
  })().catch((error) => {
    if (!signal.aborted) throw error;
  });
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
