import { processIds, statOf } from './processes.ts';

/** Of Linux, whatever the machine (getconf CLK_TCK). */
const MS_PER_TICK = 10;

/**
 * The CPU time that processes have used, in ms, by the ids of their groups: a measure that other work on the machine changes little.
 * Empty where there is no /proc.
 */
export function cpuMsByGroup(): ReadonlyMap<number, number> {
  const byGroup = new Map<number, number>();
  for (const pid of processIds()) {
    const { group, ticks } = statOf(pid);
    byGroup.set(group, (byGroup.get(group) ?? 0) + ticks * MS_PER_TICK);
  }
  return byGroup;
}

/** The CPU time that a process has used so far, in ms; NaN where there is no such process, or no /proc. */
export function cpuMsOf(pid: number | undefined): number {
  const { group, ticks } = statOf(pid ?? Number.NaN);
  return Number.isNaN(group) ? Number.NaN : ticks * MS_PER_TICK;
}
