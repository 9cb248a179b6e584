/**
 * The cost of limiting a key to projects. In an organization with many projects, the most frequent operations are called with a limited key and with an
 * unlimited one. One call at a time, in short alternating rounds, so that other work on the machine affects both alike; medians of the rounds' ratios.
 * `npm run bench -- access [--items 100000] [--projects 200] [--rounds 15] [--calls 200] [--before <folder>]`
 *
 * With `--before`, an installed checkout of an earlier commit in that folder runs on servers of its own and is called in the same rounds.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { CreatedApiKey } from '@worktrack/contracts/keys/records';
import type { Project } from '@worktrack/contracts/projects/project';
import { COMMON_WORD } from './scale/fill-request.ts';
import { startFiller } from './scale/start-filler.ts';
import { cpuUsOfGroups } from './support/cpu.ts';
import { type LoadRequest, loadHttp } from './support/http-load.ts';
import { quantile } from './support/quantile.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const WANTED_LIST_RATIO = 1.5;
const WANTED_COST_RATIO = 1.03;
/** The most that a key may be limited to. */
const MAX_PROJECTS = 100;
const WARM_UP_CALLS = 50;
/** How many projects of an earlier checkout have items: its filler made a thousand in each, and a list of 50 reads as many from an index. */
const EARLIER_WITH_ITEMS = 20;

const { values } = parseArgs({
  options: {
    items: { type: 'string', default: '100000' },
    projects: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '15' },
    calls: { type: 'string', default: '200' },
    before: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const calls = Number(values.calls);

/** As an earlier checkout has it, too. */
type Started = Pick<
  Awaited<ReturnType<typeof startBenchSystem>>,
  'gateways' | 'apiKey' | 'organizationId' | 'call' | 'environment' | 'stop' | 'services' | 'servers'
>;
interface Side {
  readonly name: string;
  readonly system: Started;
  readonly request: LoadRequest;
}
interface Comparison {
  readonly name: string;
  readonly wanted: number;
  readonly base: Side;
  readonly others: readonly Side[];
}

/** @returns what each call took, and the CPU time of all services and of the database that it caused, in µs */
async function measure({ system, request, name }: Side, requests: number, firstNumber: number) {
  const { part } = system.servers.mongodb;
  const groups = [...system.services.replicas.map((replica) => replica.part.pid), ...(part ? [part.pid] : [])];
  const cpuUs = () => [...cpuUsOfGroups(groups).values()].reduce((sum, us) => sum + us, 0);
  const before = cpuUs();
  const { p50Ms, statuses } = await loadHttp({
    ...{ urls: system.gateways.slice(0, 1), request, connections: 1, requests, firstNumber },
  });
  if (Object.keys(statuses).some((status) => !status.startsWith('2'))) {
    throw new Error(`${request.path} answered ${JSON.stringify(statuses)} to ${name}.`);
  }
  return { p50Ms, cpuUs: (cpuUs() - before) / requests };
}

const median = (numbers: readonly number[]) => quantile(numbers, 0.5);

async function compare({ name, wanted, base, others }: Comparison): Promise<(string | number)[][]> {
  const sides = [base, ...others];
  const measured = sides.map((): Awaited<ReturnType<typeof measure>>[] => []);
  let number = 0;
  for (let round = -1; round < rounds; round++) {
    // In turns, and each time another one first: what runs beside this one meets none of them always.
    for (let i = 0; i < sides.length; i++) {
      const at = (i + Math.max(0, round)) % sides.length;
      const requests = round < 0 ? WARM_UP_CALLS : calls;
      const result = await measure(sides[at] as Side, requests, number);
      number += requests;
      if (round >= 0) measured[at]?.push(result);
    }
  }
  const of = (at: number, field: 'p50Ms' | 'cpuUs') => (measured[at] ?? []).map((each) => each[field]);
  const ratio = (at: number, field: 'p50Ms' | 'cpuUs') =>
    median(of(at, field).map((value, round) => value / (of(0, field)[round] ?? Number.NaN)));
  return sides.map((side, at) => [
    ...[name, side.name, median(of(at, 'p50Ms')), median(of(at, 'cpuUs'))],
    ...(at === 0 ? ['', '', ''] : [ratio(at, 'p50Ms'), ratio(at, 'cpuUs'), wanted]),
  ]);
}

interface Filled {
  readonly system: Started;
  readonly projects: readonly Project[];
}

async function filled(
  system: Started,
  fillerFile: typeof startFiller,
  withItems = Number.POSITIVE_INFINITY,
): Promise<Filled> {
  const count = Number(values.projects);
  const projects: Project[] = [];
  const filler = await fillerFile(system.environment);
  try {
    for (let i = 0; i < count; i++) {
      const project = await system.call<Project>('POST', '/api/projects', { name: `Project ${i}` });
      projects.push(project);
      if (i >= withItems) continue;
      const request = { organizationId: system.organizationId, projectId: project.id, first: 0 };
      await filler.fill({ ...request, count: Math.ceil(Number(values.items) / count) });
      if (i % 20 === 19) process.stderr.write(`${i + 1} projects filled\n`);
    }
  } finally {
    filler.stop();
  }
  return { system, projects };
}

async function requestsOf({ system, projects }: Filled, key: string) {
  const [first] = projects as readonly [Project, ...Project[]];
  const board = await system.call<{ columns: { id: string }[] }>('GET', `/api/boards/${first.defaultBoardId}`);
  const {
    workItems: [item],
  } = await system.call<{ workItems: { id: string }[] }>('GET', `/api/work-items?limit=1&projectId=${first.id}`);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const get = (path: string): LoadRequest => ({ method: 'GET', path, headers });
  return {
    'GET /api/me': get('/api/me'),
    'list of 50 of a project': get(`/api/work-items?limit=50&projectId=${first.id}`),
    'list of 50, no project named': get('/api/work-items?limit=50'),
    'two types, no project named': get('/api/work-items?limit=50&type=epic,feature'),
    'search, no project named': get(`/api/work-items?limit=50&search=${COMMON_WORD}`),
    'get an item': get(`/api/work-items/${item?.id}`),
    create: {
      ...{ method: 'POST', path: '/api/work-items', headers },
      body: JSON.stringify({
        ...{ title: 'Write part {n}', type: 'task', projectId: first.id, boardId: first.defaultBoardId },
        boardColumnId: board.columns[0]?.id,
      }),
    } satisfies LoadRequest,
  };
}

async function keyFor(system: Started, projects: readonly Project[] | undefined): Promise<string> {
  const { key } = await system.call<CreatedApiKey>('POST', '/api/api-keys', {
    ...{ name: `Bench ${projects?.length}`, rateLimit: { requests: 0 } },
    ...(projects && { projects: projects.map(({ id }) => id) }),
  });
  return key ?? '';
}

const started: Started[] = [];
const rows: (string | number)[][] = [];
try {
  const system = await startBenchSystem({ env: { LOG_LEVEL: 'warn' } });
  started.push(system);
  const own = await filled(system, startFiller);
  const requests = {
    unlimited: await requestsOf(own, await keyFor(system, undefined)),
    one: await requestsOf(own, await keyFor(system, own.projects.slice(0, 1))),
    many: await requestsOf(own, await keyFor(system, own.projects.slice(0, MAX_PROJECTS))),
  };
  let earlier: Awaited<ReturnType<typeof requestsOf>> | undefined;
  let earlierSystem: Started | undefined;
  if (values.before !== undefined) {
    const folder = resolve(values.before);
    const load = async <T>(file: string): Promise<T> => import(join(folder, 'bench', file));
    const theirs = await load<{ startBenchSystem: typeof startBenchSystem }>('support/system.ts');
    earlierSystem = await theirs.startBenchSystem({ env: { LOG_LEVEL: 'warn' } });
    started.push(earlierSystem);
    const scale = await load<{ startFiller: typeof startFiller }>('scale/start-filler.ts');
    const theirFilled = await filled(earlierSystem, scale.startFiller, EARLIER_WITH_ITEMS);
    earlier = await requestsOf(theirFilled, await keyFor(earlierSystem, undefined));
  }
  for (const name of Object.keys(requests.unlimited) as (keyof typeof requests.unlimited)[]) {
    const side = (of: string, request: LoadRequest): Side => ({ name: of, system, request });
    const limited = [
      side('limited to one project', requests.one[name]),
      side(`limited to ${MAX_PROJECTS}`, requests.many[name]),
    ];
    const wanted = name.endsWith('no project named') ? WANTED_LIST_RATIO : WANTED_COST_RATIO;
    const unlimited = side('unlimited', requests.unlimited[name]);
    rows.push(...(await compare({ name, wanted, base: unlimited, others: limited })));
    if (earlier && earlierSystem) {
      const base = { name: 'before', system: earlierSystem, request: earlier[name] };
      rows.push(...(await compare({ name, wanted, base, others: [unlimited] })));
    }
  }
} finally {
  for (const system of started) await system.stop();
}
printTable(['call', 'by', 'p50 ms', 'CPU µs', 'p50, ratio', 'CPU, ratio', 'wanted'], rows);
console.log(`\nMedians of ${rounds} rounds of ${calls} calls; CPU: of all services and the database, per call.`);
