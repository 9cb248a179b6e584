import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** The kernel takes one such change in 100 ms from those who are not root, and refuses the others (EAGAIN). */
const RETRY_MS = 100;
const MAX_TRIES = 50;

/**
 * Has a child give way to others where the CPUs are short. Where Linux groups processes by session (sched(7), "The autogroup feature"), as
 * it does by default, a niceness counts only within a session, and each child leads one: then it is the session that has to be nice.
 * A process that may not be told so, or that has ended, stays as it is.
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
