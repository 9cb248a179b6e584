/**
 * The operations of work items in one project of 10 000, 100 000 and 1 000 000 items, one call at a time. A cost that grows with the project shows in the
 * call's time.
 * `npm run bench -- scale [--items 1000000] [--calls 300]`
 *
 * Each operation is listed with the way in which MongoDB executes its queries, as far as the plan reveals their cost. They go through an index to one document,
 * through an index to as many as are returned, or otherwise. The plans of all queries are in test/surface/plans.
 */
import { parseArgs } from 'node:util';
import type { Board } from '@worktrack/contracts/projects/board';
import type { Project } from '@worktrack/contracts/projects/project';
import { COMMON_WORD, type FillAnswer, RARE_WORD } from './scale/fill-request.ts';
import { startFiller } from './scale/start-filler.ts';
import { type LoadRequest, loadHttp } from './support/http-load.ts';
import { residentMiB } from './support/memory.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const SIZES = [10_000, 100_000, 1_000_000];
/** Items per request to the filler. */
const FILL_STEP = 10_000;
const PAGE = 100;
/** How many neighbouring pages' cursors are used. */
const FAR_PAGES = 100;
const WARM_UP_CALLS = 10;
/** For calls that inherently read thousands of entries: a distant page number, a count up to 10 000. */
const CALLS_OF_SLOW = 20;
const SERVICES = ['gateway', 'workitems'] as const;

const { values } = parseArgs({
  options: { items: { type: 'string', default: '1000000' }, calls: { type: 'string', default: '300' } },
});
const largest = Number(values.items);
const calls = Number(values.calls);
const sizes = SIZES.filter((size) => size <= largest);

interface List {
  readonly workItems: readonly { readonly id: string }[];
  readonly nextCursor: string | null;
}
interface Case {
  readonly name: string;
  readonly plan: string;
  readonly status: number;
  readonly request: LoadRequest;
  readonly isSlow?: boolean;
}

const system = await startBenchSystem({ env: { LOG_LEVEL: 'warn' } });
const filler = await startFiller(system.environment);
const measured: { readonly name: string; readonly plan: string; readonly p50Ms: number[]; readonly p99Ms: number[] }[] =
  [];
const memory: (string | number)[][] = [];
/** To fill takes most of an hour: what was measured is shown even so. */
const failures: string[] = [];
try {
  const project = await system.call<Project>('POST', '/api/projects', { name: 'Bench' });
  const board = await system.call<Board>('GET', `/api/boards/${project.defaultBoardId}`);
  let filled = 0;
  for (const size of sizes) {
    const startedAtMs = Date.now();
    const items: FillAnswer['items'][number][] = [];
    while (filled < size) {
      const request = { organizationId: system.organizationId, projectId: project.id, first: filled, count: FILL_STEP };
      items.push(...(await filler.fill(request)).items);
      filled += FILL_STEP;
      process.stderr.write(`${filled.toLocaleString('en')} items\n`);
    }
    const secondsToFill = (Date.now() - startedAtMs) / 1_000;
    for (const each of await casesOf(project, board, items, size)) await measure(each);
    const { mongodb } = system.servers;
    memory.push([
      size.toLocaleString('en'),
      secondsToFill,
      ...SERVICES.map((name) => residentMiB(processOf(name))),
      residentMiB(mongodb.part?.pid ?? Number.NaN),
    ]);
  }
} finally {
  filler.stop();
  await system.stop();
}

const last = sizes.length - 1;
printTable(
  [
    'one call at a time',
    ...sizes.flatMap((size) => [`p50 ms of ${size.toLocaleString('en')}`, 'p99 ms']),
    'p50, last to first',
    'p99, last to first',
    'plan on MongoDB',
  ],
  measured.map(({ name, plan, p50Ms, p99Ms }) => [
    name,
    ...sizes.flatMap((_, i) => [p50Ms[i] ?? Number.NaN, p99Ms[i] ?? Number.NaN]),
    (p50Ms[last] ?? Number.NaN) / (p50Ms[0] ?? Number.NaN),
    (p99Ms[last] ?? Number.NaN) / (p99Ms[0] ?? Number.NaN),
    plan,
  ]),
);
console.log(`\n${calls} calls of each (of the slow ones ${CALLS_OF_SLOW}) after ${WARM_UP_CALLS}.\n`);
printTable(['items', 's to fill', ...SERVICES.map((name) => `${name}, MiB`), 'database, MiB'], memory);
if (failures.length > 0) {
  console.error(`\n${failures.join('\n')}`);
  process.exitCode = 1;
}

function processOf(service: (typeof SERVICES)[number]): number {
  return system.services.replicas.find((replica) => replica.service === service)?.part.pid ?? Number.NaN;
}

async function measure({ name, plan, request, status, isSlow }: Case): Promise<void> {
  const url = system.gateways[0] as string;
  const load = (requests: number, firstNumber: number) =>
    loadHttp({ urls: [url], request, connections: 1, requests, firstNumber });
  const first = await load(WARM_UP_CALLS, 0);
  const result = await load(isSlow ? CALLS_OF_SLOW : calls, WARM_UP_CALLS);
  for (const { statuses, requests } of [first, result]) {
    if (statuses[status] !== requests) failures.push(`${name}: ${JSON.stringify(statuses)}, not ${status} alone.`);
  }
  let row = measured.find((each) => each.name === name);
  if (!row) {
    row = { name, plan, p50Ms: [], p99Ms: [] };
    measured.push(row);
  }
  row.p50Ms.push(result.p50Ms);
  row.p99Ms.push(result.p99Ms);
}

/** Cursors of neighbouring pages that start in the middle of a list. */
async function farCursors(list: string, items: number): Promise<string[]> {
  const cursors: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < items / 2 / PAGE; page++) {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer: List = await system.call<List>('GET', `${list}&limit=${PAGE}${after}`);
    cursor = answer.nextCursor;
    if (cursor === null) break;
    cursors.push(encodeURIComponent(cursor));
  }
  return cursors.slice(-FAR_PAGES);
}

async function casesOf(
  project: Project,
  board: Board,
  items: FillAnswer['items'],
  size: number,
): Promise<readonly Case[]> {
  const headers = { Authorization: `Bearer ${system.apiKey}`, 'Content-Type': 'application/json' };
  const get = (name: string, plan: string, path: string, lists?: LoadRequest['lists']): Case => {
    return { name, plan, status: 200, request: { method: 'GET', path, headers, lists } };
  };
  const post = (name: string, plan: string, path: string, body: object, status = 200): Case => {
    return { name, plan, status, request: { method: 'POST', path, headers, body: JSON.stringify(body) } };
  };
  const columnId = (name: string) => board.columns.find((column) => column.name === name)?.id ?? '';
  const inProject = `/api/work-items?projectId=${project.id}`;
  const inColumn = `/api/work-items?boardColumnId=${columnId('Done')}`;
  const [epic] = (await system.call<List>('GET', `${inProject}&type=epic&limit=1`)).workItems;
  const where = { projectId: project.id, boardId: board.id, boardColumnId: columnId('Backlog') };
  const rows = 'index in order, as many entries as rows';
  return [
    get('get by id', 'index, one entry', '/api/work-items/{item}', { item: items.map(({ id }) => id) }),
    get('get by task ID', 'index, one entry', '/api/work-items/{item}', { item: items.map(({ taskId }) => taskId) }),
    get('list, first page of 50', rows, `${inProject}&limit=50`),
    get('list, a page of 50 in the middle, by cursor', rows, `${inProject}&limit=50&cursor={cursor}`, {
      cursor: await farCursors(inProject, size),
    }),
    get(
      'list, a page of 50 at row 9 900, by number',
      'index in order, 9 950 entries',
      `${inProject}&limit=50&page=199`,
    ),
    get('list of a column, first page', rows, `${inColumn}&limit=50`),
    get('list of a column, in the middle, by cursor', rows, `${inColumn}&limit=50&cursor={cursor}`, {
      cursor: await farCursors(inColumn, size * 0.4),
    }),
    get('list by type and assignee', rows, `${inProject}&limit=50&type=task&assignee=person%203`),
    get('children of an epic', rows, `/api/work-items?parentId=${epic?.id}&limit=50`),
    get('search for a rare word', rows, `${inProject}&limit=50&search=${RARE_WORD}`),
    {
      ...get(
        'search for a word that all have',
        `${rows}; 10 000 to count`,
        `${inProject}&limit=50&search=${COMMON_WORD}`,
      ),
      isSlow: true,
    },
    get('board', 'index, one entry', `/api/boards/${board.id}`),
    get('boards', 'index, as many entries as boards', `/api/projects/${project.id}/boards`),
    post('create', 'index, one entry each', '/api/work-items', { title: 'One more part', type: 'task', ...where }, 201),
    post('claim', 'index in order, the first entries', '/api/work-items/claim', {
      projectId: project.id,
      agent: 'ada',
    }),
  ];
}
