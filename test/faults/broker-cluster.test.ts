import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { caller, type TestOrganization } from '../support/organization.ts';
import { servers } from '../support/servers.ts';
import { startSystem } from '../support/system.ts';
import { type BrokerCluster, startBrokerCluster } from './broker-cluster.ts';

const CALLERS = 8;
const CALLS_BEFORE = 100;
const CALLS_AFTER = 200;
/** The deadline of a call is 10 s; its answer needs some time to arrive on a busy machine. */
const LONGEST_ANSWER_MS = 12_000;

let cluster: BrokerCluster;
let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;

beforeAll(async () => {
  const { folder } = await servers();
  cluster = await startBrokerCluster(join(folder, 'cluster'), ['one', 'two']);
  system = await startSystem({ urls: { rabbitmq: cluster.url }, replicas: { workitems: 2 } });
  organization = await system.newOrganization();
}, 300_000);
afterAll(async () => {
  await system?.stop();
  await cluster?.discard();
});

interface Attempt {
  readonly key: string;
  readonly status: number;
  readonly tookMs: number;
}

test('the death of the node that hosts a service’s queue costs a call at most 10 s, and neither it nor its return a write', async () => {
  const call = caller(system.baseUrl, organization.apiKey);
  const item = { type: 'task', boardId: organization.boardId, boardColumnId: organization.columns.Backlog };
  const attempts: Attempt[] = [];
  const acknowledged = new Map<string, string>();
  const halfWay = Promise.withResolvers<void>();
  let isKilled = false;
  let answeredSince = 0;

  /** Each write is repeated with its key until it is acknowledged, as a client does. */
  const write = async (): Promise<void> => {
    const key = randomUUID();
    while (!acknowledged.has(key)) {
      const startedAtMs = performance.now();
      const { status, data } = await call<{ id: string }>(
        'POST',
        '/api/work-items',
        { ...item, title: key },
        { 'idempotency-key': key },
      );
      attempts.push({ key, status, tookMs: performance.now() - startedAtMs });
      if (status === 201) acknowledged.set(key, data.id);
      if (acknowledged.size >= CALLS_BEFORE) halfWay.resolve();
    }
    if (isKilled) answeredSince++;
  };
  const writeUntil = (isEnough: () => boolean) =>
    Promise.all(
      Array.from({ length: CALLERS }, async () => {
        while (!isEnough()) await write();
      }),
    );
  const load = writeUntil(() => answeredSince >= CALLS_AFTER);

  await halfWay.promise;
  const home = await homeOf('rpc.workitems');
  await home.kill();
  isKilled = true;
  await load;
  // The other node logs each attempt, and this one may be away for days.
  await expect.poll(() => msSinceDeclared('rpc.workitems'), { timeout: 30_000 }).toBeGreaterThan(1_500);

  const { data: health } = await organization.call<{ queues: { name: string }[] }>('GET', '/api/health');
  expect(health.queues.map(({ name }) => name)).toContain('rpc.workitems.2');

  let isBack = false;
  const later = writeUntil(() => isBack);
  await home.restart();
  // Both replicas take from it again.
  await expect.poll(() => listed('rpc.workitems', 'consumers'), { timeout: 90_000 }).toBe('2');
  isBack = true;
  await later;

  // None is refused for good, and none hangs.
  expect(attempts.filter(({ status }) => ![201, 503, 504].includes(status))).toEqual([]);
  expect(Math.max(...attempts.map(({ tookMs }) => tookMs))).toBeLessThanOrEqual(LONGEST_ANSWER_MS);
  const stored = await storedIds();
  expect([...acknowledged.values()].toSorted()).toEqual(stored.toSorted());
  console.log(summary(attempts));
}, 300_000);

/** The node that hosts a queue, according to the cluster. */
async function homeOf(queue: string) {
  const pid = await listed(queue, 'pid');
  const home = cluster.nodes.find(({ name }) => pid?.includes(`<${name}.`));
  if (!home) throw new Error(`${queue} lives on none of the nodes: ${pid}`);
  return home;
}

async function listed(queue: string, column: 'pid' | 'consumers'): Promise<string | undefined> {
  const [asked] = cluster.nodes;
  if (!asked) throw new Error('There is no node.');
  const queues = await cluster.rabbitmqctl(asked, ['list_queues', '--no-table-headers', 'name', column]);
  const line = queues.split('\n').find((text) => text.split('\t')[0] === queue);
  return line?.split('\t')[1];
}

/** Since a node last refused to declare a queue whose node is away. */
function msSinceDeclared(queue: string): number {
  const lines = cluster.nodes.flatMap(({ logFile }) => readFileSync(logFile, 'utf8').split('\n'));
  const refusals = lines.filter((line) => line.includes('queue.declare caused') && line.includes(`'${queue}'`));
  const times = refusals.flatMap((line) => /\d{4}-\d\d-\d\d [\d:.]+\+\d\d:\d\d/.exec(line)?.[0] ?? []);
  return Date.now() - Math.max(...times.map((time) => Date.parse(time)));
}

/** For all items of the organization. */
async function storedIds(): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const { data } = await organization.call<{ workItems: { id: string }[]; pagination: { totalPages: number } }>(
      'GET',
      `/api/work-items?limit=100&page=${page}`,
    );
    ids.push(...data.workItems.map(({ id }) => id));
    if (page >= data.pagination.totalPages) return ids;
  }
}

function summary(attempts: readonly Attempt[]): string {
  const refused = attempts.filter(({ status }) => status !== 201).length;
  const slowestMs = Math.round(Math.max(...attempts.map(({ tookMs }) => tookMs)));
  return `${attempts.length} calls, ${refused} answered 503 or 504 and repeated, slowest answer ${slowestMs} ms`;
}
