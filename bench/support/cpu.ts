import { readdirSync, readFileSync } from 'node:fs';

/** Of Linux, whatever the machine (getconf CLK_TCK). */
const MS_PER_TICK = 10;

/**
 * The CPU time that processes have used, in ms, by the ids of their groups: a measure that other work on the machine changes little.
 * Empty where there is no /proc.
 */
export function cpuMsByGroup(): ReadonlyMap<number, number> {
  const byGroup = new Map<number, number>();
  for (const name of processNames()) {
    const stat = readStat(name);
    if (!stat) continue;
    // The second field is a name in parentheses, which may hold anything; the group is the fifth, user and system time the 14th and 15th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [group, user, system] = [Number(fields[2]), Number(fields[11]), Number(fields[12])];
    byGroup.set(group, (byGroup.get(group) ?? 0) + (user + system) * MS_PER_TICK);
  }
  return byGroup;
}

function processNames(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function readStat(name: string): string | undefined {
  try {
    return readFileSync(`/proc/${name}/stat`, 'utf8');
  } catch {
    return undefined; // It ended meanwhile.
  }
}
