import { readFileSync } from 'node:fs';

/** Of Linux, whatever the machine (getconf CLK_TCK). */
const MS_PER_TICK = 10;

/** The CPU time that a process has used so far, in ms; NaN where there is no /proc. */
export function cpuMsOf(pid: number | undefined): number {
  if (pid === undefined) return Number.NaN;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses, which may hold anything. User and system time are the 14th and 15th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return Number.NaN;
  }
}
