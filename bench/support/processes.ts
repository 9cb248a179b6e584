import { readdirSync, readFileSync } from 'node:fs';

interface ProcessStat {
  readonly parent: number | undefined;
  readonly group: number;
  /** Time in user and kernel mode so far, in clock ticks. */
  readonly ticks: number;
}

/** All processes on the machine; none if there is no /proc. */
export function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

export function threadIds(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** proc(5): after the command's name in parentheses come state, parent, process group and, from the twelfth on, the two times. */
export function statOf(pid: number): ProcessStat {
  const stat = readProc(`${pid}/stat`);
  const [, parent, group, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    parent: Number(parent) || undefined,
    group: Number(group),
    ticks: Number(rest[8] ?? 0) + Number(rest[9] ?? 0),
  };
}

/** @returns nothing if it ended meanwhile, or there is no such thing here */
export function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}
