import { processIds, readProc, statOf } from '@worktrack/bench/support/processes';
import type { RunningSystem } from '../support/run-system.ts';

/** Resident memory, in MiB, of the largest process of a service and of the broker; 0 where the kernel does not tell (other than Linux). */
export interface Memory {
  readonly serviceMiB: number;
  readonly brokerMiB: number;
}

export function memoryOf({ services, servers }: RunningSystem): Memory {
  const ofServices = services.replicas.map(({ part }) => residentMiB(part.pid));
  const broker = servers?.rabbitmq.part;
  return { serviceMiB: Math.max(...ofServices), brokerMiB: broker ? groupMiB(broker.pid) : 0 };
}

/** The broker's start script may remain as the parent of the node itself: every process in its group counts. */
function groupMiB(leader: number): number {
  let sum = 0;
  for (const pid of processIds()) if (statOf(pid).group === leader) sum += residentMiB(pid);
  return sum;
}

export function residentMiB(pid: number): number {
  return mebibytes(pid, 'VmRSS');
}

/** The highest that it ever was. */
export function peakMiB(pid: number): number {
  return mebibytes(pid, 'VmHWM');
}

function mebibytes(pid: number, field: string): number {
  const [, kibibytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readProc(`${pid}/status`)) ?? [];
  return Math.round(Number(kibibytes ?? 0) / 1024);
}
