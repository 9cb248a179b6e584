import { processIds, readProc, statOf, threadIds } from './processes.ts';

/** On Linux, whatever the machine (getconf CLK_TCK). */
const MS_PER_TICK = 10;

/**
 * The CPU time that processes have used, in ms, by their group ids: a measure that other work on the machine affects little.
 * Empty if there is no /proc.
 */
export function cpuMsByGroup(): ReadonlyMap<number, number> {
  const byGroup = new Map<number, number>();
  for (const pid of processIds()) {
    const { group, ticks } = statOf(pid);
    byGroup.set(group, (byGroup.get(group) ?? 0) + ticks * MS_PER_TICK);
  }
  return byGroup;
}

/** The CPU time that a process has used so far, in ms; NaN if there is no such process, or no /proc. */
export function cpuMsOf(pid: number | undefined): number {
  const { group, ticks } = statOf(pid ?? Number.NaN);
  return Number.isNaN(group) ? Number.NaN : ticks * MS_PER_TICK;
}

/**
 * The CPU time of process groups, in µs: exactly, for what takes a few milliseconds. Of threads that have ended nothing is known, so this is for processes
 * whose threads stay.
 */
export function cpuUsOfGroups(groups: readonly number[]): ReadonlyMap<number, number> {
  const wanted = new Set(groups);
  const byGroup = new Map<number, number>();
  for (const pid of processIds()) {
    const { group } = statOf(pid);
    if (!wanted.has(group)) continue;
    const threads = threadIds(pid).map((thread) =>
      Number(readProc(`${pid}/task/${thread}/schedstat`).split(' ')[0] ?? 0),
    );
    byGroup.set(group, (byGroup.get(group) ?? 0) + threads.reduce((sum, ns) => sum + ns / 1_000, 0));
  }
  return byGroup;
}
