/**
 * One organization's reads and writes, alone and while another organization's viewer key floods the gateway with lists and searches.
 * `npm run bench -- fair [--connections 200] [--calls 200]`
 */
import { parseArgs } from 'node:util';
import { createOrganization } from '@worktrack/stack/seed/organization';
import { loadHttp } from './support/http-load.ts';
import { quantile } from './support/quantile.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const WANTED_RATIO = 3;
const ITEMS = 500;
const FLOOD_MS = 30_000;
const { values } = parseArgs({
  options: { connections: { type: 'string', default: '200' }, calls: { type: 'string', default: '200' } },
});
const connections = Number(values.connections);
const calls = Number(values.calls);

const system = await startBenchSystem({ env: { LOG_LEVEL: 'warn' } });
try {
  const [gateway = ''] = system.gateways;
  const flooder = system.call;
  const quiet = await createOrganization(
    system.environment.RABBITMQ_URL,
    { RPC_SECRETS_KEYS: system.environment.RPC_SECRETS_KEYS ?? '' },
    { name: 'Quiet', ownerEmail: 'quiet@example.com' },
  );
  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${gateway}${path}`, {
      method,
      headers: { authorization: `Bearer ${quiet.apiKey.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { data, error } = (await response.json()) as { data: Record<string, unknown>; error?: { message: string } };
    if (error) throw new Error(error.message);
    return data;
  };

  const place = async (ask: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>) => {
    const { id, defaultBoardId } = await ask('POST', '/api/projects', { name: 'Bench' });
    const { columns } = (await ask('GET', `/api/boards/${defaultBoardId}`)) as { columns: { id: string }[] };
    return { projectId: id, boardId: defaultBoardId, boardColumnId: columns[0]?.id, type: 'task' };
  };
  const theirs = await place((method, path, body) => flooder(method, path, body));
  for (let number = 0; number < ITEMS; number++) {
    await flooder('POST', '/api/work-items', { title: `Write the part ${number} of the reference`, ...theirs });
  }
  const ours = await place(call);
  const { id: itemId } = await call('POST', '/api/work-items', { title: 'Ours', ...ours });

  const viewer = await flooder<{ id: string }>('POST', '/api/users', {
    email: 'viewer@example.com',
    name: 'Viewer',
    role: 'viewer',
  });
  const { key } = await flooder<{ key: string }>('POST', '/api/api-keys', {
    name: 'Flood',
    userId: viewer.id,
    permissions: ['work-items:read'],
    rateLimit: { requests: 0 },
  });

  const measure = async (): Promise<{ reads: number[]; writes: number[] }> => {
    const took = { reads: [] as number[], writes: [] as number[] };
    for (let number = 0; number < calls; number++) {
      const startedAtMs = performance.now();
      if (number % 2 === 0) await call('GET', '/api/work-items?limit=10');
      else await call('POST', `/api/work-items/${itemId}/comments`, { text: `Comment ${number}` });
      took[number % 2 === 0 ? 'reads' : 'writes'].push(performance.now() - startedAtMs);
    }
    return took;
  };
  const flood = (path: string) =>
    loadHttp({
      urls: [gateway],
      connections: connections / 2,
      durationMs: FLOOD_MS,
      request: { method: 'GET', path, headers: { Authorization: `Bearer ${key}` } },
    });

  await measure();
  const alone = await measure();
  const flooding = [flood('/api/work-items?limit=50'), flood('/api/work-items?limit=50&search=reference')];
  // At full load before anything is measured.
  await measure();
  const under = await measure();
  const results = await Promise.all(flooding);

  printTable(
    [
      'another organization',
      'alone p50 ms',
      'alone p99 ms',
      'flood p50 ms',
      'flood p99 ms',
      `p99 ratio (wanted: ${WANTED_RATIO})`,
    ],
    (['reads', 'writes'] as const).map((kind) => [
      kind,
      quantile(alone[kind], 0.5),
      quantile(alone[kind], 0.99),
      quantile(under[kind], 0.5),
      quantile(under[kind], 0.99),
      quantile(under[kind], 0.99) / quantile(alone[kind], 0.99),
    ]),
  );
  for (const [at, kind] of ['lists', 'searches'].entries()) {
    const result = results[at];
    console.log(`${kind}: ${Math.round(result?.perSecond ?? 0)} a second, ${JSON.stringify(result?.statuses)}`);
  }
} finally {
  await system.stop();
}
