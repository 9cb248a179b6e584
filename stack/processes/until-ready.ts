import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../report/start-error.ts';
import type { Child } from './child.ts';

/** Programs have no common way to announce that they are ready, so they are asked. */
const POLL_MS = 25;

/**
 * @param probe resolves when the program responds as a client needs it to; rejects while it does not
 * @throws StartError if the program ends, or does not respond in time
 */
export async function untilReady(child: Child, probe: () => Promise<void>, timeoutMs: number): Promise<void> {
  const giveUpAtMs = Date.now() + timeoutMs;
  for (;;) {
    const failure = await probe().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (child.exit) throw new StartError(child.describeExit());
    if (failure === undefined) return;
    if (Date.now() > giveUpAtMs) {
      throw new StartError(
        `${child.name} was not ready within ${timeoutMs / 1000} s: ${failure} (log: ${child.logFile})`,
      );
    }
    await Promise.race([delay(POLL_MS), child.exited]);
  }
}
