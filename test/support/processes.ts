import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  readonly command: string;
}

/** The processes (on Linux) that have to do with a folder: by their arguments, working directory, or environment. */
export function processesOf(folder: string): RunningProcess[] {
  return (
    processIds()
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((pid) => traces(pid).some((trace) => trace.includes(folder)))
      .map((pid) => ({ pid: Number(pid), command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ') }))
      // One without a command line has ended since the line above.
      .filter(({ command }) => command !== '')
  );
}

function processIds(): string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return []; // Not Linux.
  }
}

function traces(pid: string): string[] {
  return [read(`/proc/${pid}/cmdline`), read(`/proc/${pid}/environ`), link(`/proc/${pid}/cwd`)];
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // It has ended meanwhile, or is not ours to look into.
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
