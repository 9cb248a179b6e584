import { readProc } from './processes.ts';

/** Resident memory of a process in MiB, with shared pages counted in full; NaN without /proc. */
export function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`))?.[1];
  return Number(kib ?? Number.NaN) / 1024;
}
