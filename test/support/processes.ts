import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The processes (on Linux) that have to do with a folder: by their arguments, working directory, or environment. */
export function processesOf(folder: string): string[] {
  return (
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((pid) => traces(pid).some((trace) => trace.includes(folder)))
      .map((pid) => ({ pid, command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ') }))
      // One without a command line has ended since the line above.
      .filter(({ command }) => command !== '')
      .map(({ pid, command }) => `${pid} ${command}`)
  );
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
