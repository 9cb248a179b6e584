import { cpuUsOfGroups } from '../support/cpu.ts';
import { followed } from '../support/followed.ts';
import { loadHttp } from '../support/http-load.ts';
import { SERVERS } from '../support/parts.ts';
import { type System, startBenchSystem } from '../support/system.ts';
import { printTable } from '../support/table.ts';
import { type Kind, kinds } from './kinds.ts';

const CONNECTIONS = 32;

/** Options of the command. */
export const SIZES = {
  starts: { type: 'string', default: '8' },
  rounds: { type: 'string', default: '4' },
  requests: { type: 'string', default: '1000' },
} as const;

/** A system that differs from the first one in its settings alone. */
export interface Side {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Measured {
  readonly perSecond: number;
  /** µs a request: of our services, and of the servers that they use. */
  readonly servicesUs: number;
  readonly serversUs: number;
}

/**
 * What settings cost: the same requests to systems that run beside each other, in turn, in one run, so that whatever else the machine does concerns all of them.
 * Each has servers of its own. One process may do the same work for 10 % less CPU than the next one of the same code, so all are started several times.
 */
export async function compareSides(
  sides: readonly Side[],
  options: { readonly of: readonly Kind[] } & Readonly<Record<keyof typeof SIZES, string>>,
): Promise<void> {
  const starts = new Map<Kind, Measured[][]>(options.of.map((kind) => [kind, sides.map(() => [])]));
  for (let start = 0; start < Number(options.starts); start++) {
    const systems: System[] = [];
    try {
      // Whoever comes first in one start comes last in the next.
      for (const index of inTurn(sides, start)) {
        systems[index] = await startBenchSystem({ env: { TRUST_PROXY: 'loopback', ...sides[index]?.env } });
      }
      for (const [kind, measured] of starts) {
        for (const [index, own] of (await measure(kind, systems, options)).entries())
          measured[index]?.push(meanOf(own));
      }
    } finally {
      for (const system of Object.values(systems)) await system.stop();
    }
  }
  for (const [kind, measured] of starts) print(kind, sides, measured);
}

/** @returns of each system, its rounds */
async function measure(
  kind: Kind,
  systems: readonly System[],
  options: { readonly rounds: string; readonly requests: string },
): Promise<Measured[][]> {
  const requests = await Promise.all(systems.map((system) => kinds[kind](system)));
  const rounds: Measured[][] = systems.map(() => []);
  const count = Number(options.requests);
  let firstNumber = 1;
  for (let round = 0; round <= Number(options.rounds); round++) {
    for (const index of inTurn(systems, round)) {
      const system = systems[index] as System;
      const { request } = requests[index] as (typeof requests)[number];
      const before = cpuUsOfGroups(pids(system));
      const load = { request, connections: CONNECTIONS, requests: count, firstNumber };
      const result = await loadHttp({ urls: system.gateways, ...load });
      await followed(system);
      const after = cpuUsOfGroups(pids(system));
      const refused = Object.keys(result.statuses).filter((status) => !status.startsWith('2'));
      if (refused.length > 0) throw new Error(`${kind} was answered with ${refused}.`);
      const used = (groups: readonly number[]) =>
        groups.reduce((sum, group) => sum + (after.get(group) ?? 0) - (before.get(group) ?? 0), 0) / result.requests;
      // The first round warms up: until its code is compiled, a process takes twice as much, and what there is more of takes longer.
      if (round > 0) {
        rounds[index]?.push({
          perSecond: result.perSecond,
          servicesUs: used(servicesOf(system)),
          serversUs: used(serversOf(system)),
        });
      }
      firstNumber += count;
    }
  }
  return rounds;
}

/** The indexes of what is given, from the first one on or from the last one. */
function inTurn(given: readonly unknown[], turn: number): number[] {
  const indexes = [...given.keys()];
  return turn % 2 === 0 ? indexes : indexes.toReversed();
}

function meanOf(rounds: readonly Measured[]): Measured {
  const of = (field: keyof Measured) => mean(rounds.map((round) => round[field]));
  return { perSecond: of('perSecond'), servicesUs: of('servicesUs'), serversUs: of('serversUs') };
}

const servicesOf = ({ services }: System) => services.replicas.map(({ part }) => part.pid);
const pids = (system: System) => [...servicesOf(system), ...serversOf(system)];

function serversOf({ servers }: System): number[] {
  return SERVERS.flatMap((name) => servers[name].part?.pid ?? []);
}

function print(kind: Kind, sides: readonly Side[], starts: readonly (readonly Measured[])[]): void {
  const [first = []] = starts;
  const services = ({ servicesUs }: Measured) => servicesUs;
  const all = ({ servicesUs, serversUs }: Measured) => servicesUs + serversUs;
  console.log(`\n${kind}`);
  printTable(
    ['', 'requests/s', 'CPU of services, µs a request', '×', '±', 'CPU of all, µs a request', '×', '±'],
    starts.map((own, index) => {
      const columns = [services, all].flatMap((of) => {
        const { ratio, error } = compared(own.map(of), first.map(of));
        return [mean(own.map(of)), ratio.toFixed(3), error.toFixed(3)];
      });
      return [sides[index]?.name ?? '', mean(own.map(({ perSecond }) => perSecond)), ...columns];
    }),
  );
}

/** The ratio of the sums, with the standard error of the mean difference of a start: the two are measured beside each other. */
function compared(own: readonly number[], base: readonly number[]) {
  const differences = own.map((value, start) => value - (base[start] ?? 0));
  const center = mean(differences);
  const variance = mean(differences.map((each) => (each - center) ** 2));
  return { ratio: mean(own) / mean(base), error: Math.sqrt(variance / Math.max(1, own.length - 1)) / mean(base) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
