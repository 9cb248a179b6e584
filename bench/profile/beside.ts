import { cpuUsOfGroups } from '../support/cpu.ts';
import { followed } from '../support/followed.ts';
import { loadHttp } from '../support/http-load.ts';
import { SERVERS } from '../support/parts.ts';
import { type System, startBenchSystem } from '../support/system.ts';
import { printTable } from '../support/table.ts';
import { type Kind, kinds } from './kinds.ts';

const CONNECTIONS = 32;

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
 * Each has servers of its own.
 */
export async function compareSides(
  sides: readonly Side[],
  options: { readonly of: readonly Kind[]; readonly rounds: number; readonly requests: number },
): Promise<void> {
  const systems: System[] = [];
  try {
    for (const { env } of sides) systems.push(await startBenchSystem({ env: { TRUST_PROXY: 'loopback', ...env } }));
    for (const kind of options.of) {
      const requests = await Promise.all(systems.map((system) => kinds[kind](system)));
      const rounds: Measured[][] = sides.map(() => []);
      let firstNumber = 1;
      for (let round = 0; round <= options.rounds; round++) {
        // Whoever comes first in one round comes last in the next.
        const order = sides.map((_, index) => (round % 2 === 0 ? index : sides.length - 1 - index));
        for (const index of order) {
          const system = systems[index] as System;
          const { request } = requests[index] as (typeof requests)[number];
          const before = cpuUsOfGroups(pids(system));
          const load = { request, connections: CONNECTIONS, requests: options.requests, firstNumber };
          const result = await loadHttp({ urls: system.gateways, ...load });
          await followed(system);
          const after = cpuUsOfGroups(pids(system));
          const refused = Object.keys(result.statuses).filter((status) => !status.startsWith('2'));
          if (refused.length > 0) throw new Error(`${kind} was answered with ${refused}.`);
          const used = (groups: readonly number[]) =>
            groups.reduce((sum, group) => sum + (after.get(group) ?? 0) - (before.get(group) ?? 0), 0) /
            result.requests;
          // The first round warms up.
          if (round > 0) {
            rounds[index]?.push({
              perSecond: result.perSecond,
              servicesUs: used(servicesOf(system)),
              serversUs: used(serversOf(system)),
            });
          }
          firstNumber += options.requests;
        }
      }
      print(kind, sides, rounds);
    }
  } finally {
    for (const system of systems) await system.stop();
  }
}

const servicesOf = ({ services }: System) => services.replicas.map(({ part }) => part.pid);
const pids = (system: System) => [...servicesOf(system), ...serversOf(system)];

function serversOf({ servers }: System): number[] {
  return SERVERS.flatMap((name) => servers[name].part?.pid ?? []);
}

function print(kind: Kind, sides: readonly Side[], rounds: readonly (readonly Measured[])[]): void {
  const [first = []] = rounds;
  const services = ({ servicesUs }: Measured) => servicesUs;
  const all = ({ servicesUs, serversUs }: Measured) => servicesUs + serversUs;
  console.log(`\n${kind}`);
  printTable(
    ['', 'requests/s', 'CPU of services, µs a request', '×', '±', 'CPU of all, µs a request', '×', '±'],
    rounds.map((own, index) => {
      const columns = [services, all].flatMap((of) => {
        const { ratio, error } = compared(own.map(of), first.map(of));
        return [mean(own.map(of)), ratio.toFixed(3), error.toFixed(3)];
      });
      return [sides[index]?.name ?? '', mean(own.map(({ perSecond }) => perSecond)), ...columns];
    }),
  );
}

/** The ratio of the sums, with the standard error of the mean difference of a round: the two are measured right after each other. */
function compared(own: readonly number[], base: readonly number[]) {
  const differences = own.map((value, round) => value - (base[round] ?? 0));
  const center = mean(differences);
  const variance = mean(differences.map((each) => (each - center) ** 2));
  return { ratio: mean(own) / mean(base), error: Math.sqrt(variance / own.length) / mean(base) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
