/**
 * Compares the work item operations, called over REST and MCP, with one Fastify process on the same database server that does the minimum for each with
 * MongoDB's driver (bare/store-server.ts). Both run alone, which shows the time of one call, and with several connections, in one run. The CPU time of a call
 * includes all its later work: it is read once the log has caught up, and only then does the other side start.
 * `npm run bench -- work-items [--seconds 3] [--rounds 1] [--connections 1,32] [--items 1600] [--only create,claim]`
 *
 * The commands that each call sends to the database are counted beforehand, through a proxy, on a separate system.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countCommands } from './support/command-count.ts';
import { cpuMsByGroup, cpuMsOf } from './support/cpu.ts';
import { followed } from './support/followed.ts';
import { type LoadResult, loadHttp } from './support/http-load.ts';
import { residentMiB } from './support/memory.ts';
import { partsOf, SERVERS } from './support/parts.ts';
import { startSide } from './support/side.ts';
import { startBenchServers, startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';
import { type CallSide, type Case, casesOf } from './work-items/cases.ts';
import { fillProject } from './work-items/fill.ts';

const WARM_UP_MS = 1_000;
/** How many calls of each are counted: enough to see everything they send, except for what is sent every few seconds. */
const COUNTED_CALLS = 64;
const COUNTED_ITEMS = 200;
/** Sent by the processes rather than by a call: how they monitor each other and the connection. */
const BACKGROUND_COMMANDS = new Set(['hello', 'ismaster', 'ping', 'buildInfo', 'endSessions', 'killSessions']);
const BACKGROUND_COLLECTION = 'transaction_owners';
const SERVICES = ['gateway', 'keys', 'workitems', 'feedback', 'events'] as const;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '1,32' },
    items: { type: 'string', default: '1600' },
    only: { type: 'string' },
  },
});
const durationMs = Number(values.seconds) * 1_000;
const connectionCounts = values.connections.split(',').map(Number);
const only = values.only?.split(',');

interface Side {
  readonly name: 'bare' | 'worktrack';
  readonly url: string;
  readonly call: CallSide;
  /** Used so far by its processes and the database's. */
  cpuMs(): ReadonlyMap<string, number>;
  /** Resolves when all that the calls have caused is done. */
  followed(): Promise<void>;
}
interface Bench {
  readonly bare: Side;
  readonly worktrack: Side;
  readonly cases: readonly Case[];
  /** Of each service, before the first call. */
  readonly idleMiB: readonly number[];
  memoryMiB(): readonly number[];
}

const servers = await startBenchServers();
const rows: (string | number)[][] = [];
let commands: (string | number)[][];
let memory: (string | number)[][];
try {
  commands = await counted();
  memory = await measured((row) => rows.push(row));
} finally {
  await servers.discard();
}

printTable(
  [
    'operation',
    'conn.',
    'calls/s',
    'bare',
    'ratio',
    'wanted',
    'p50 ms',
    'bare',
    'p99 ms',
    'bare',
    'CPU ms',
    'bare',
    'wanted',
    ...SERVICES,
    ...SERVERS,
  ],
  rows,
);
console.log(
  `\nOne process of each service; bare: one process. CPU: of all processes but the load's, per call, until the log has followed. Medians of ${values.rounds} rounds of ${values.seconds} s.\n`,
);
printTable(['commands to the database, per call', 'conn.', 'worktrack', 'bare', 'of worktrack'], commands);
console.log('');
printTable(['resident memory, MiB', ...SERVICES, 'all', 'wanted'], memory);

/** Runs `work` with both sides on one system, filled alike. */
async function withBench<T>(
  items: number,
  databaseVia: ((url: string) => Promise<string>) | undefined,
  work: (bench: Bench) => Promise<T>,
): Promise<T> {
  const system = await startBenchSystem({ on: servers, env: { LOG_LEVEL: 'warn' }, databaseVia });
  let bareSide: Awaited<ReturnType<typeof startSide>> | undefined;
  try {
    bareSide = await startSide(join(import.meta.dirname, 'bare/store-server.ts'), system.environment);
    const barePid = bareSide.child.pid;
    const pids = new Map(partsOf(system));
    const idle = memoryOf(pids);
    const databasePid = pids.get('mongodb');
    const authorization = { Authorization: `Bearer ${system.apiKey}` };
    const bare: Side = {
      name: 'bare',
      url: bareSide.url,
      call: caller(bareSide.url, {}),
      cpuMs: () =>
        new Map([
          ['bare', cpuMsOf(barePid)],
          ['mongodb', cpuMsOf(databasePid)],
        ]),
      followed: async () => {},
    };
    const gateway = system.gateways[0] as string;
    const worktrack: Side = {
      name: 'worktrack',
      url: gateway,
      call: caller(gateway, authorization),
      cpuMs() {
        const byGroup = cpuMsByGroup();
        return new Map([...pids].map(([part, pid]) => [part, byGroup.get(pid) ?? Number.NaN]));
      },
      followed: () => followed(system),
    };
    const read = await fillProject(system, bare.url, items);
    const changed = await fillProject(system, bare.url, items);
    const cases = casesOf(changed, read, authorization).filter(
      ({ name }) => !only || only.some((one) => name.startsWith(one)),
    );
    return await work({ bare, worktrack, cases, idleMiB: idle, memoryMiB: () => memoryOf(pids) });
  } finally {
    bareSide?.child.disconnect();
    await system.stop();
  }
}

function caller(url: string, headers: Readonly<Record<string, string>>): CallSide {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  };
}

function memoryOf(pids: ReadonlyMap<string, number>): number[] {
  return SERVICES.map((service) => residentMiB(pids.get(service) ?? Number.NaN));
}

/** Loads a side, each time with new requests. */
function loader() {
  const sent = new Map<string, number>();
  return async (
    side: Side,
    { name, request, status, prepare, maxRequests = Number.POSITIVE_INFINITY, maxConnections }: Case,
    wantedConnections: number,
    until: { readonly durationMs?: number; readonly requests?: number },
  ) => {
    await prepare?.(side.call);
    const key = `${side.name} ${name}`;
    const firstNumber = sent.get(key) ?? 0;
    await side.followed();
    const before = side.cpuMs();
    const connections = Math.min(wantedConnections, maxConnections ?? wantedConnections);
    const requests = Math.min(until.requests ?? Number.POSITIVE_INFINITY, maxRequests);
    const result = await loadHttp({
      urls: [side.url],
      request,
      connections,
      firstNumber,
      ...until,
      ...(Number.isFinite(requests) && { requests }),
    });
    await side.followed();
    const after = side.cpuMs();
    sent.set(key, firstNumber + result.requests);
    const { [status]: answered = 0, ...others } = result.statuses;
    if (answered < result.requests) {
      console.error(
        `${key}, ${connections} connections: answered ${answered} of ${result.requests}; ${JSON.stringify(others)}`,
      );
    }
    const cpuMs = new Map([...after].map(([part, ms]) => [part, (ms - (before.get(part) ?? 0)) / result.requests]));
    return { ...result, cpuMs, allCpuMs: [...cpuMs.values()].reduce((sum, ms) => sum + ms, 0) };
  };
}
type Measured = Omit<LoadResult, 'cpuMs'> & { readonly cpuMs: ReadonlyMap<string, number>; readonly allCpuMs: number };

async function counted(): Promise<(string | number)[][]> {
  const isCounted = (name: string, target: unknown, database: string): boolean =>
    !BACKGROUND_COMMANDS.has(name) && target !== BACKGROUND_COLLECTION && !/_(keys|feedback)$/.test(database);
  let count: Awaited<ReturnType<typeof countCommands>> | undefined;
  const via = async (url: string) => {
    count = await countCommands(url, isCounted);
    return count.url;
  };
  const answer = await withBench(COUNTED_ITEMS, via, async ({ bare, worktrack, cases }) => {
    const load = loader();
    const rows: (string | number)[][] = [];
    for (const each of cases) {
      for (const connections of connectionCounts) {
        const perCall: number[] = [];
        let names = '';
        for (const side of [worktrack, bare]) {
          await each.prepare?.(side.call);
          count?.take();
          const { requests } = await load(side, { ...each, prepare: undefined }, connections, {
            requests: COUNTED_CALLS,
          });
          const taken = [...(count?.take() ?? [])];
          perCall.push(taken.reduce((sum, [, number]) => sum + number, 0) / requests);
          if (side !== worktrack) continue;
          names = taken
            .toSorted(([, a], [, b]) => b - a)
            .map(([name, number]) => `${name} ${(number / requests).toFixed(1)}`)
            .join(', ');
        }
        rows.push([each.name, String(connections), ...perCall, names]);
      }
    }
    return rows;
  });
  count?.close();
  return answer;
}

/** @returns the rows for the services' memory use */
async function measured(print: (row: (string | number)[]) => void): Promise<(string | number)[][]> {
  return await withBench(Number(values.items), undefined, async ({ bare, worktrack, cases, idleMiB, memoryMiB }) => {
    const load = loader();
    for (const each of cases) {
      for (const connections of connectionCounts) {
        const rounds: { readonly bare: Measured; readonly worktrack: Measured }[] = [];
        for (let round = 0; round <= Number(values.rounds); round++) {
          // The first round warms up.
          const until = { durationMs: round === 0 ? Math.min(WARM_UP_MS, durationMs) : durationMs };
          const pair = {
            bare: await load(bare, each, connections, until),
            worktrack: await load(worktrack, each, connections, until),
          };
          if (round > 0) rounds.push(pair);
        }
        const ratio = (one: (typeof rounds)[number]) => one.worktrack.perSecond / one.bare.perSecond;
        // The rounds of both sides alternate, so each round's ratio compares the same moment.
        const middle = rounds.toSorted((one, other) => ratio(one) - ratio(other))[Math.floor(rounds.length / 2)];
        if (!middle) throw new Error('There has to be a round.');
        const { worktrack: ours, bare: theirs } = middle;
        const wanted = each.wanted?.[connections === 1 ? 0 : 1];
        print([
          each.name,
          String(connections),
          ours.perSecond,
          theirs.perSecond,
          ratio(middle),
          wanted === undefined ? '' : `≥ ${wanted}`,
          ours.p50Ms,
          theirs.p50Ms,
          ours.p99Ms,
          theirs.p99Ms,
          ours.allCpuMs,
          theirs.allCpuMs,
          each.wantedCpuMs === undefined ? '' : `≤ ${each.wantedCpuMs}`,
          ...[...SERVICES, ...SERVERS].map((part) => ours.cpuMs.get(part) ?? Number.NaN),
        ]);
      }
    }
    const total = (each: readonly number[]) => each.reduce((sum, one) => sum + one, 0);
    const loadedMiB = memoryMiB();
    return [
      ['before the first call', ...idleMiB, total(idleMiB), '≤ 450'],
      ['after the load', ...loadedMiB, total(loadedMiB), '≤ 700'],
    ];
  });
}
