import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** From non-root users, the kernel accepts one such change per 100 ms and refuses the others (EAGAIN). */
const RETRY_MS = 100;
const MAX_TRIES = 50;

/**
 * Makes a child yield to others when CPU time is scarce. By default, Linux groups processes by session (sched(7), "The autogroup feature"). A nice value then
 * counts only within a session, and each child leads one, so the session's own nice value is set. A process that has ended, or for which this is not permitted,
 * is left unchanged.
 */
export async function yieldCpu(pid: number, niceness: number): Promise<void> {
  try {
    setPriority(pid, niceness);
  } catch {
    return;
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    try {
      writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      await sleep(RETRY_MS);
    }
  }
}
