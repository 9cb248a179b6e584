import { readdirSync, readFileSync } from 'node:fs';
import type { RunningSystem } from '../support/run-system.ts';

/** Resident memory, in MiB, of the largest process of a service and of the broker; 0 where the kernel does not say (other than Linux). */
export interface Memory {
  readonly serviceMiB: number;
  readonly brokerMiB: number;
}

export function memoryOf({ services, servers }: RunningSystem): Memory {
  const ofServices = services.replicas.map(({ part }) => residentMiB(part.pid));
  const broker = servers?.rabbitmq.part;
  return { serviceMiB: Math.max(...ofServices), brokerMiB: broker ? groupMiB(broker.pid) : 0 };
}

/** The broker's start script may stay as the parent of the node itself: whoever is of its process group counts. */
function groupMiB(leader: number): number {
  let sum = 0;
  for (const pid of processIds()) if (groupOf(pid) === leader) sum += residentMiB(pid);
  return sum;
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** proc(5): after the command's name in parentheses come state, parent and process group. */
function groupOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

function residentMiB(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return Math.round(Number(kibibytes ?? 0) / 1024);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // It ended meanwhile.
  }
}
