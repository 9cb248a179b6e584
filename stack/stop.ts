import { setTimeout as delay } from 'node:timers/promises';
import { runningStack } from './data-dir.ts';
import { isRunning } from './processes/process-identity.ts';
import type { Progress } from './report/progress.ts';
import { StartError } from './report/start-error.ts';

const POLL_MS = 50;
/** Longer than the stack allows all of its parts together. */
const DEADLINE_MS = 90_000;

/** Stops the stack that uses a data directory, and waits until it is gone. */
export async function stopStack(dataDir: string, progress: Progress): Promise<void> {
  const stack = runningStack(dataDir);
  if (!stack) {
    progress.line(`No stack is running on ${dataDir}.`);
    return;
  }
  await progress.step('Stopping', async () => {
    const giveUpAtMs = Date.now() + DEADLINE_MS;
    process.kill(stack.pid, 'SIGTERM');
    // It is not our child, so nothing notifies us of its end.
    while (isRunning(stack)) {
      if (Date.now() > giveUpAtMs)
        throw new StartError(`The stack (process ${stack.pid}) has not ended within ${DEADLINE_MS / 1000} s.`);
      await delay(POLL_MS);
    }
  });
  progress.line('Stopped.');
}
