import { readProc } from './processes.ts';

/** Resident memory of a process in MiB, pages that it shares with others counted in full; NaN where there is no /proc. */
export function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`))?.[1];
  return Number(kib ?? Number.NaN) / 1024;
}
