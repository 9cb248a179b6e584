/**
 * The gateway and the services behind it, compared with a bare Fastify that does the same cache and database work in one process, in one run.
 * `npm run bench -- gateway [--seconds 5] [--rounds 3] [--connections 64]`
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bootstrap } from '@worktrack/contracts/feedback/public-api';
import type { Source } from '@worktrack/contracts/feedback/records';
import type { Project } from '@worktrack/contracts/projects/project';
import { type LoadRequest, loadHttp } from './support/http-load.ts';
import { startSide } from './support/side.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const WANTED_RATIO = 0.55;
const ITEMS = 200;
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
  },
});
const connections = Number(values.connections);
const durationMs = Number(values.seconds) * 1_000;

// Each ingest request comes from its own address.
const system = await startBenchSystem({ env: { TRUST_PROXY: 'loopback', LOG_LEVEL: 'warn' } });
const bare = (file: string) => startSide(join(import.meta.dirname, 'bare', file), system.environment);
const sides: Awaited<ReturnType<typeof startSide>>[] = [];
try {
  const [gateway = ''] = system.gateways;
  const project = await system.call<Project>('POST', '/api/projects', { name: 'Bench' });
  const board = await system.call<{ columns: { id: string }[] }>('GET', `/api/boards/${project.defaultBoardId}`);
  for (let number = 0; number < ITEMS; number++) {
    await system.call('POST', '/api/work-items', {
      title: `Write the part number ${number} of the reference`,
      description: 'What it does, what it takes, what it answers, and an example.',
      type: 'task',
      projectId: project.id,
      boardId: project.defaultBoardId,
      boardColumnId: board.columns[0]?.id,
    });
  }
  const source = await system.call<Source>('POST', '/api/feedback/sources', {
    name: 'Bench',
    type: 'widget',
    requireCaptcha: false,
    rateLimit: { perIp: 1_000_000, perSource: 1_000_000, windowSeconds: 1 },
  });
  const bootstrap = await fetch(`${gateway}/feedback/widget/bootstrap?publicKey=${source.publicKey}`);
  const { token } = ((await bootstrap.json()) as { data: Bootstrap }).data;

  const workItems = await bare('work-items-server.ts');
  sides.push(workItems);
  const admitting = await bare('admitting-server.ts');
  sides.push(admitting);

  const authorization = { Authorization: `Bearer ${system.apiKey}` };
  const json = { 'Content-Type': 'application/json' };
  const cases: readonly { name: string; request: LoadRequest; bareUrl: string; status: number }[] = [
    {
      name: 'GET /api/me',
      request: { method: 'GET', path: '/api/me', headers: authorization },
      bareUrl: workItems.url,
      status: 200,
    },
    {
      name: 'list 50 items, REST',
      request: { method: 'GET', path: `/api/work-items?limit=50&projectId=${project.id}`, headers: authorization },
      bareUrl: workItems.url,
      status: 200,
    },
    {
      name: 'list 50 items, MCP',
      request: {
        method: 'POST',
        path: '/mcp',
        headers: { ...authorization, ...json, Accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'list_work_items', arguments: { limit: 50, projectId: project.id } },
        }),
      },
      bareUrl: workItems.url,
      status: 200,
    },
    {
      name: 'ingest',
      request: {
        method: 'POST',
        path: '/feedback/ingest',
        headers: { ...json, 'X-Forwarded-For': '{ip}' },
        body: JSON.stringify({
          publicKey: source.publicKey,
          token,
          message: 'The export of a project with many attachments ends with an error, number {n}.',
          category: 'bug',
        }),
      },
      bareUrl: admitting.url,
      status: 201,
    },
  ];

  let firstNumber = 1;
  const measure = async (url: string, request: LoadRequest, status: number): Promise<number> => {
    const result = await loadHttp({ urls: [url], request, connections, durationMs, firstNumber });
    firstNumber += result.requests;
    const others = Object.keys(result.statuses).filter((one) => Number(one) !== status);
    if (others.length > 0) throw new Error(`${request.path} at ${url} answered ${JSON.stringify(result.statuses)}.`);
    return result.perSecond;
  };

  const rows: (string | number)[][] = [];
  for (const { name, request, bareUrl, status } of cases) {
    const rates: { bare: number; worktrack: number }[] = [];
    for (let round = 0; round <= Number(values.rounds); round++) {
      const pair = {
        bare: await measure(bareUrl, request, status),
        worktrack: await measure(gateway, request, status),
      };
      // The first round warms up.
      if (round > 0) rates.push(pair);
    }
    // The rounds of both sides alternate, so each round's ratio compares the same moment.
    rates.sort((one, other) => one.worktrack / one.bare - other.worktrack / other.bare);
    const { bare: bareRate, worktrack: rate } = rates[Math.floor(rates.length / 2)] as (typeof rates)[number];
    rows.push([name, bareRate, rate, rate / bareRate]);
  }
  printTable(
    [`${connections} connections`, 'bare Fastify, req/s', 'worktrack, req/s', `ratio (wanted: ${WANTED_RATIO})`],
    rows,
  );
  console.log(`Median of ${values.rounds} rounds of ${values.seconds} s by the ratio; one process of each service.`);
} finally {
  for (const { child } of sides) child.disconnect();
  await system.stop();
}
