import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../report/start-error.ts';
import { fieldsAfterName } from './process-identity.ts';

const POLL_MS = 2;
const PATIENCE_MS = 5_000;

/**
 * Stops processes in the middle of what they do, in this order, while `work` runs: what they have written to files is then as if the power had failed. They go on afterwards, also if
 * this process dies first: another one waits for the end of a pipe that only this one holds.
 * @param leaders of process groups
 */
export async function whileFrozen<Result>(leaders: readonly number[], work: () => Promise<Result>): Promise<Result> {
  const groups = leaders.map((pid) => `-${pid}`);
  const thaw = spawn('/bin/sh', ['-c', 'read -r _; kill -s CONT -- "$@"', 'thaw', ...groups], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await once(thaw, 'spawn');
  const ended = once(thaw, 'close');
  try {
    for (const pid of leaders) {
      stop(pid);
      await untilFrozen(pid);
    }
    const result = await work();
    // Somebody who stops the stack wakes its servers.
    if (!leaders.every(isFrozen)) throw new StartError('The stack was stopped meanwhile. Back it up again.');
    return result;
  } finally {
    thaw.stdin.end();
    await ended;
  }
}

function stop(leader: number): void {
  try {
    process.kill(-leader, 'SIGSTOP');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    throw new StartError(
      `Process ${leader} of the stack has ended and is being restarted. Try again once it is ready; if it does not get so, stop the stack first.`,
    );
  }
}

/** A signal reaches one thread after the other. */
export async function untilFrozen(pid: number): Promise<void> {
  const giveUpAtMs = performance.now() + PATIENCE_MS;
  while (!isFrozen(pid)) {
    if (performance.now() > giveUpAtMs) throw new StartError(`Process ${pid} of the stack cannot be paused.`);
    await delay(POLL_MS);
  }
}

function isFrozen(pid: number): boolean {
  try {
    const states =
      process.platform === 'linux'
        ? globSync(`/proc/${pid}/task/*/stat`).map((file) => fieldsAfterName(file)[0])
        : [execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).trim()];
    return states.length > 0 && states.every((state) => state?.startsWith('T'));
  } catch {
    // It ended, or one of its threads did.
    return false;
  }
}
