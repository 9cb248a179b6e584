/**
 * Feedback ingest compared with a bare Fastify doing one driver insert per request, on the same database, in one run; and what
 * refusing costs. `npm run bench -- ingest [--seconds 5] [--rounds 3] [--replicas 1]`
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bootstrap } from '@worktrack/contracts/feedback/public-api';
import type { Source } from '@worktrack/contracts/feedback/records';
import { cpuMsByGroup } from './support/cpu.ts';
import { type LoadRequest, type LoadResult, loadHttp } from './support/http-load.ts';
import { partsOf } from './support/parts.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const CONNECTIONS = 64;
/** The clients, which use their share of the same CPUs. */
const LOAD = 'load';
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    replicas: { type: 'string', default: '1' },
  },
});
const durationMs = Number(values.seconds) * 1000;

const system = await startBenchSystem({
  replicas: { feedback: Number(values.replicas) },
  // So that each request can come from its own address.
  env: { TRUST_PROXY: 'loopback' },
});
const bare = fork(join(import.meta.dirname, 'bare/ingest-server.ts'), {
  env: { ...process.env, MONGODB_URL: system.servers.urls.mongodb },
  // A group of its own, like every part of the system: its CPU is counted by it.
  detached: true,
});
try {
  const barePort = await new Promise<number>((resolve) => bare.once('message', (port) => resolve(port as number)));
  const [gateway = ''] = system.gateways;
  const source = (settings: object) =>
    system.call<Source>('POST', '/api/feedback/sources', { name: 'Bench', requireCaptcha: false, ...settings });
  const unlimited = { perIp: 1_000_000, perSource: 1_000_000, windowSeconds: 1 };
  const open = await source({ rateLimit: unlimited });
  const restricted = await source({ rateLimit: unlimited, allowedDomains: ['allowed.example'] });
  const limited = await source({ rateLimit: { perIp: 1, perSource: 1, windowSeconds: 86_400 } });
  const tokenOf = async ({ publicKey }: Source) => {
    const response = await fetch(`${gateway}/feedback/widget/bootstrap?publicKey=${publicKey}`);
    return ((await response.json()) as { data: Bootstrap }).data.token;
  };
  const ingest = ({ publicKey }: Source, token: string): LoadRequest => ({
    method: 'POST',
    path: '/feedback/ingest',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '{ip}' },
    body: JSON.stringify({
      publicKey,
      token,
      message: 'The export of a project with many attachments ends with an error, number {n}.',
      category: 'bug',
      email: 'ada@example.com',
      pageUrl: 'https://www.example.com/projects/export',
      locale: 'en-GB',
    }),
  });

  const sides: readonly {
    readonly name: string;
    readonly url: string;
    readonly request: LoadRequest;
    readonly status: number;
  }[] = [
    {
      name: 'bare Fastify, one insert each',
      url: `http://127.0.0.1:${barePort}`,
      request: ingest(open, ''),
      status: 201,
    },
    { name: 'worktrack, stored (201)', url: gateway, request: ingest(open, await tokenOf(open)), status: 201 },
    { name: 'worktrack, rate limited (429)', url: gateway, request: ingest(limited, 'x'), status: 429 },
    { name: 'worktrack, other origin (403)', url: gateway, request: ingest(restricted, 'x'), status: 403 },
    { name: 'worktrack, bad token (401)', url: gateway, request: ingest(open, 'x'), status: 401 },
  ];
  // Uses up the limited source's rate.
  await loadHttp({ urls: [gateway], request: ingest(limited, 'x'), connections: 1, requests: 1 });

  /** CPU of each part in µs per request, by side and part. */
  const cpu = new Map<string, number>();
  const parts = [...partsOf(system), ['bare', bare.pid ?? 0] as const];
  const results = new Map<string, LoadResult[]>();
  let firstNumber = 1;
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const { name, url, request, status } of sides) {
      const before = cpuMsByGroup();
      const result = await loadHttp({ urls: [url], request, connections: CONNECTIONS, durationMs, firstNumber });
      const after = cpuMsByGroup();
      if (round > 0) {
        const used = parts.map(([part, pid]) => [part, (after.get(pid) ?? 0) - (before.get(pid) ?? 0)] as const);
        for (const [part, usedMs] of [...used, [LOAD, result.cpuMs] as const]) {
          const key = `${name} ${part}`;
          cpu.set(key, (cpu.get(key) ?? 0) + (usedMs * 1000) / result.requests / Number(values.rounds));
        }
      }
      firstNumber += result.requests;
      const others = Object.keys(result.statuses).filter((one) => Number(one) !== status);
      if (others.length > 0) throw new Error(`${name} answered ${JSON.stringify(result.statuses)}.`);
      // The first round warms up.
      if (round > 0) results.set(name, [...(results.get(name) ?? []), result]);
    }
  }

  const medians = sides.map(({ name }) => {
    const sorted = (results.get(name) ?? []).toSorted((a, b) => a.perSecond - b.perSecond);
    return { name, ...(sorted[Math.floor(sorted.length / 2)] as LoadResult) };
  });
  const [bareRate = 0, storedRate = 0] = medians.map(({ perSecond }) => perSecond);
  printTable(
    [`${CONNECTIONS} connections`, 'requests/s', 'p50 ms', 'p99 ms', '× bare', '× stored'],
    medians.map(({ name, perSecond, p50Ms, p99Ms }) => [
      name,
      perSecond,
      p50Ms,
      p99Ms,
      perSecond / bareRate,
      perSecond / storedRate,
    ]),
  );
  console.log('\nCPU, µs a request');
  const names = [...new Set(parts.map(([part]) => part)), LOAD];
  printTable(
    ['', ...names, 'all'],
    sides.map(({ name }) => {
      const each = names.map((part) => cpu.get(`${name} ${part}`) ?? 0);
      return [name, ...each, each.reduce((sum, one) => sum + one, 0)];
    }),
  );
  console.log(`\nMedian of ${values.rounds} rounds of ${values.seconds} s; feedback replicas: ${values.replicas}.`);
} finally {
  bare.disconnect();
  await system.stop();
}
