/**
 * The figures from which docs/scaling.md calculates: the CPU time of each part per call of each kind, the memory of each process, and the storage per item and
 * per submission. CPU time is used, since other work on the machine affects it little; it includes a call's later work (the log).
 * `npm run bench -- scaling [--seconds 5] [--write]`; `--write` stores them in bench/scaling/figures.json, with which `npm run check:scaling` compares the
 * page.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bootstrap } from '@worktrack/contracts/feedback/public-api';
import type { Source } from '@worktrack/contracts/feedback/records';
import { grown, storedIn } from './scaling/stored.ts';
import { cpuMsByGroup } from './support/cpu.ts';
import { followed } from './support/followed.ts';
import { type LoadRequest, loadHttp } from './support/http-load.ts';
import { residentMiB } from './support/memory.ts';
import { partsOf } from './support/parts.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const CONNECTIONS = 32;
const WARM_UP_MS = 2_000;
const ITEMS_PER_BATCH = 100;
/** Enough for the claims of one run. */
const CLAIMABLE = 4_000;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, write: { type: 'boolean', default: false } },
});
const durationMs = Number(values.seconds) * 1_000;

const system = await startBenchSystem({ env: { TRUST_PROXY: 'loopback', LOG_LEVEL: 'warn' } });
try {
  const parts = new Map(partsOf(system));
  const cases = await casesOf();
  const figures: Record<string, number> = {};
  const rows: (string | number)[][] = [];
  for (const [name, { request, requests }] of Object.entries(cases)) {
    const load = { urls: system.gateways, request, connections: CONNECTIONS };
    if (!requests) await loadHttp({ ...load, durationMs: WARM_UP_MS });
    await followed(system);
    const stored = await storedIn(system);
    const before = cpuMsByGroup();
    const result = await loadHttp({
      ...load,
      firstNumber: 1_000_000,
      ...(requests ? { requests } : { durationMs }),
    });
    await followed(system);
    const after = cpuMsByGroup();
    const refused = Object.keys(result.statuses).filter((status) => !status.startsWith('2'));
    if (refused.length > 0) throw new Error(`${name} was answered with ${JSON.stringify(result.statuses)}.`);
    const costs = [...parts].map(([part, pid]) => {
      const us = (((after.get(pid) ?? 0) - (before.get(pid) ?? 0)) * 1_000) / result.requests;
      figures[`${name}.${part}`] = rounded(us);
      return us;
    });
    const { bytes, indexKeys } = grown(stored, await storedIn(system));
    figures[`${name}.bytes`] = rounded(bytes / result.requests);
    figures[`${name}.entries`] = rounded(indexKeys / result.requests);
    rows.push([
      name,
      result.perSecond,
      ...costs,
      costs.reduce((sum, us) => sum + us, 0),
      figures[`${name}.bytes`] as number,
      figures[`${name}.entries`] as number,
    ]);
  }
  const memory = [...parts].map(([part, pid]) => {
    const mib = residentMiB(pid);
    figures[`memory.${part}`] = rounded(mib);
    return mib;
  });
  printTable(
    [`CPU µs per call, ${CONNECTIONS} connections`, 'calls/s', ...parts.keys(), 'all', 'bytes', 'index keys'],
    rows,
  );
  console.log('');
  printTable(['resident memory afterwards, MiB', ...parts.keys()], [['', ...memory]]);
  if (values.write) {
    writeFileSync(join(import.meta.dirname, 'scaling/figures.json'), `${JSON.stringify(figures, null, 2)}\n`);
  }
} finally {
  await system.stop();
}

/** Three digits: what is behind them differs from run to run. */
function rounded(value: number): number {
  return Number(Math.max(0, value).toPrecision(3));
}

async function casesOf(): Promise<Record<string, { readonly request: LoadRequest; readonly requests?: number }>> {
  const project = await system.call<{ id: string }>('POST', '/api/projects', { name: 'Read and written' });
  const claimed = await system.call<{ id: string }>('POST', '/api/projects', { name: 'Claimed' });
  const ids = await fill(project.id, 'backlog', 1_000);
  await fill(claimed.id, 'todo', CLAIMABLE);
  const place = await placeIn(project.id, 'in_progress');
  const unlimited = { perIp: 1_000_000, perSource: 1_000_000, windowSeconds: 1 };
  const source = await system.call<Source>('POST', '/api/feedback/sources', {
    ...{ name: 'Bench', requireCaptcha: false, rateLimit: unlimited },
  });
  const bootstrap = await fetch(`${system.gateways[0]}/feedback/widget/bootstrap?publicKey=${source.publicKey}`);
  const { token } = ((await bootstrap.json()) as { data: Bootstrap }).data;
  const call = (method: string, path: string, body?: object): LoadRequest => ({
    method,
    path,
    headers: { Authorization: `Bearer ${system.apiKey}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const item = { type: 'task', title: 'Shorten the address of item {n}', description: 'What it is for. '.repeat(30) };
  return {
    create: { request: call('POST', '/api/work-items', { ...item, ...place }) },
    get: { request: { ...call('GET', '/api/work-items/{id}'), lists: { id: ids } } },
    list: { request: call('GET', `/api/work-items?projectId=${project.id}&limit=50`) },
    claim: {
      request: call('POST', '/api/work-items/claim', { projectId: claimed.id, agent: 'bench' }),
      requests: CLAIMABLE - 200,
    },
    submission: {
      request: {
        method: 'POST',
        path: '/feedback/ingest',
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '{ip}' },
        body: JSON.stringify({
          ...{ publicKey: source.publicKey, token, category: 'bug', email: 'ada@example.com' },
          message: 'The export of a project with many attachments ends with an error, number {n}.',
        }),
      },
    },
  };
}

/** The column of a project's board that has a role. */
async function placeIn(projectId: string, role: string) {
  const [board] = await system.call<{ id: string; columns: { id: string; role: string }[] }[]>(
    'GET',
    `/api/projects/${projectId}/boards`,
  );
  return { boardId: board?.id, boardColumnId: board?.columns.find((column) => column.role === role)?.id };
}

async function fill(projectId: string, role: string, count: number): Promise<string[]> {
  const place = await placeIn(projectId, role);
  const ids: string[] = [];
  for (let at = 0; at < count; at += ITEMS_PER_BATCH) {
    const items = Array.from({ length: ITEMS_PER_BATCH }, (_, i) => ({
      ...{ type: 'task', title: `Item ${at + i}`, description: 'What it is for. '.repeat(30) },
      ...place,
    }));
    const { items: created } = await system.call<{ items: { id: string }[] }>('POST', '/api/work-items/batch', {
      items,
    });
    ids.push(...created.map(({ id }) => id));
  }
  return ids;
}
