/**
 * Sequential work item calls during a burst of submissions, all in one run. The same calls also run beside processes that merely use as much CPU as the burst's
 * parts did, to show the machine's share of the delay.
 * `npm run bench -- burst [--submissions 20000] [--connections 400] [--gateways 2] [--replicas 3] [--rounds 3]`
 */
import { fork } from 'node:child_process';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bootstrap } from '@worktrack/contracts/feedback/public-api';
import type { Source } from '@worktrack/contracts/feedback/records';
import { yieldCpu } from '@worktrack/stack/processes/priority';
import { cpuMsByGroup } from './support/cpu.ts';
import { type LoadResult, loadHttp } from './support/http-load.ts';
import { SERVERS } from './support/parts.ts';
import { startBenchSystem } from './support/system.ts';
import { printTable } from './support/table.ts';

const { values } = parseArgs({
  options: {
    submissions: { type: 'string', default: '20000' },
    connections: { type: 'string', default: '400' },
    gateways: { type: 'string', default: '2' },
    replicas: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
  },
});
const submissions = Number(values.submissions);
const CALLS_ALONE = 500;

const system = await startBenchSystem({
  replicas: { gateway: Number(values.gateways), feedback: Number(values.replicas) },
  env: { TRUST_PROXY: 'loopback' },
});
try {
  const source = await system.call<Source>('POST', '/api/feedback/sources', {
    name: 'Bench',
    requireCaptcha: false,
    rateLimit: { perIp: 1_000_000, perSource: 1_000_000, windowSeconds: 1 },
  });
  const tookMs: Record<'alone' | 'burst' | 'burners', number[]> = { alone: [], burst: [], burners: [] };
  const bursts: (LoadResult & { readonly perSecond: number })[] = [];
  await calls((count) => count === CALLS_ALONE);
  for (let round = 0; round < Number(values.rounds); round++) {
    tookMs.alone.push(...(await calls((count) => count === CALLS_ALONE)));
    const burst = await duringBurst(source, round * submissions);
    tookMs.burst.push(...burst.tookMs);
    bursts.push(burst.result);
    tookMs.burners.push(...(await besideBurners(burst.shares)));
  }

  const row = (name: string, list: readonly number[]) => {
    const sorted = list.toSorted((a, b) => a - b);
    const quantile = (q: number) => sorted[Math.floor(sorted.length * q)] ?? 0;
    return [name, String(sorted.length), quantile(0.5), quantile(0.9), quantile(0.99)];
  };
  printTable(
    ['work-item calls', 'calls', 'p50 ms', 'p90 ms', 'p99 ms'],
    [
      row('alone', tookMs.alone),
      row(`beside ${submissions.toLocaleString('en')} submissions`, tookMs.burst),
      row('beside as much CPU time, taken elsewhere', tookMs.burners),
    ],
  );
  console.log('');
  printTable(
    ['burst', 'submissions/s', 'p50 ms', 'p99 ms', 'answers'],
    bursts.map(({ perSecond, p50Ms, p99Ms, statuses }, i) => [
      String(i + 1),
      perSecond,
      p50Ms,
      p99Ms,
      JSON.stringify(statuses),
    ]),
  );
} finally {
  await system.stop();
}

/** Distributed over the gateways, as a load balancer would. @returns how long each took, in ms */
async function calls(isDone: (count: number) => boolean): Promise<number[]> {
  const tookMs: number[] = [];
  while (!isDone(tookMs.length)) {
    const gateway = system.gateways[tookMs.length % system.gateways.length];
    const startedAtMs = performance.now();
    await system.call('GET', '/api/work-items?limit=1', undefined, gateway);
    tookMs.push(performance.now() - startedAtMs);
  }
  return tookMs;
}

/** A part's share of one CPU. */
interface Share {
  readonly pid: number | undefined;
  readonly ofCpu: number;
}

async function duringBurst({ publicKey }: Source, firstNumber: number) {
  const bootstrap = await fetch(`${system.gateways[0]}/feedback/widget/bootstrap?publicKey=${publicKey}`);
  const { token } = ((await bootstrap.json()) as { data: Bootstrap }).data;
  const before = cpuMsByGroup();
  const startedAtMs = performance.now();
  let isDone = false;
  const working = calls(() => isDone);
  const result = await loadHttp({
    urls: system.gateways,
    connections: Number(values.connections),
    requests: submissions,
    firstNumber,
    request: {
      method: 'POST',
      path: '/feedback/ingest',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '{ip}' },
      body: JSON.stringify({ publicKey, token, message: 'Burst {n}', email: 'ada@example.com' }),
    },
  });
  const burstMs = performance.now() - startedAtMs;
  const after = cpuMsByGroup();
  isDone = true;
  const shares: Share[] = parts().map((pid) => ({
    pid,
    ofCpu: ((after.get(pid) ?? 0) - (before.get(pid) ?? 0)) / burstMs,
  }));
  return { result, tookMs: await working, shares: [...shares, { pid: undefined, ofCpu: result.cpuMs / burstMs }] };
}

/** The same calls, alongside one process per part of the burst that uses as much CPU as it did, at the same priority. */
async function besideBurners(shares: readonly Share[]): Promise<number[]> {
  const burners = shares
    .filter(({ ofCpu }) => ofCpu > 0.01)
    .map(({ pid, ofCpu }) => {
      const burner = fork(join(import.meta.dirname, 'support/burner.child.ts'), [String(ofCpu)], {
        execArgv: [],
        detached: true,
      });
      return { burner, niceness: pid === undefined ? 0 : getPriority(pid) };
    });
  try {
    await Promise.all(
      burners.map(async ({ burner, niceness }) => {
        await new Promise((resolve) => burner.once('message', resolve));
        await yieldCpu(burner.pid as number, niceness);
      }),
    );
    return await calls((count) => count === CALLS_ALONE);
  } finally {
    for (const { burner } of burners) burner.disconnect();
  }
}

/** The processes that submissions go through. */
function parts(): number[] {
  const servers = SERVERS.flatMap((server) => {
    const { part } = system.servers[server];
    return part ? [part.pid] : [];
  });
  const services = (['gateway', 'feedback'] as const).flatMap((service) => system.services.of(service));
  return [...services.map(({ part }) => part.pid), ...servers];
}
