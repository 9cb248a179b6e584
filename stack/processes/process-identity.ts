import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process id alone may have been reused; together with the start time it identifies one process permanently. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** Field 22 of /proc/<pid>/stat (proc(5)). */
const START_TIME_AFTER_NAME = 19;

/** @returns undefined if there is no such process */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return processIdentity(identity.pid)?.startedAt === identity.startedAt;
}

function startFromProc(pid: number): string | undefined {
  try {
    const fields = fieldsAfterName(`/proc/${pid}/stat`);
    // A zombie no longer holds anything; its parent just has not reaped it yet.
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${bootId}/${fields[START_TIME_AFTER_NAME]}`;
  } catch {
    return undefined;
  }
}

/** Of a stat file in /proc, from field 3 (the state) on: the program's name before it may contain spaces and parentheses. */
export function fieldsAfterName(file: string): string[] {
  const stat = readFileSync(file, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function startFromPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
