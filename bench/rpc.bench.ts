/**
 * A call between two processes with libs/rpc, with other libraries over RabbitMQ, and without it, in one run on one machine.
 * `npm run bench -- rpc [--seconds 3] [--rounds 3] [--in-flight 1,64,512] [--only amqplib,worktrack]`
 *
 * CPU is the time that the two processes and the broker used per call; other work on the machine affects it little. Such work does affect calls per second and
 * latencies, but equally for all sides: compare ratios.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Progress } from '@worktrack/stack/report/progress';
import { givenServers, startServers } from '@worktrack/stack/servers/start';
import { installPeers, peer } from './rpc/peers.ts';
import type { Load, LoadResult } from './rpc/side.ts';
import { cpuMsOf } from './support/cpu.ts';
import { quantile } from './support/quantile.ts';
import { printTable } from './support/table.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    'in-flight': { type: 'string', default: '1,64,512' },
    only: { type: 'string' },
  },
});
const durationMs = Number(values.seconds) * 1000;
const levels = values['in-flight'].split(',').map(Number);
const WARM_UP_MS = 1_000;

const SIDES = {
  tcp: { title: 'raw TCP', module: peer('tcp') },
  http: { title: 'HTTP hop (Fastify, undici)', module: peer('http') },
  amqplib: { title: 'amqplib, plain', module: peer('amqplib') },
  quorum: { title: 'amqplib, quorum queue', module: peer('quorum') },
  'rabbitmq-client': { title: 'rabbitmq-client', module: peer('rabbitmq-client') },
  nest: { title: 'NestJS RMQ', module: peer('nest') },
  moleculer: { title: 'Moleculer AMQP, tuned', module: peer('moleculer') },
  worktrack: { title: 'libs/rpc', module: join(import.meta.dirname, 'rpc', 'worktrack.side.ts') },
  unsigned: { title: 'libs/rpc, unsigned', module: join(import.meta.dirname, 'rpc', 'unsigned.side.ts') },
} as const;
type SideName = keyof typeof SIDES;
const names = (Object.keys(SIDES) as SideName[]).filter(
  (name) => !values.only || values.only.split(',').includes(name),
);

interface Measured {
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of both processes, per call. */
  readonly ownCpuUs: number;
  readonly brokerCpuUs: number;
}
const results = new Map<string, Measured[]>();
const keyOf = (name: SideName, inFlight: number) => `${name} ${inFlight}`;

installPeers();
const folder = mkdtempSync(join(tmpdir(), 'worktrack-bench-'));
const { rabbitmq } = givenServers(process.env);
const servers = await startServers({
  dataDir: folder,
  progress: new Progress(process.stderr),
  given: { rabbitmq, redis: 'redis://not.used', mongodb: 'mongodb://not.used' },
});
try {
  for (let round = 1; round <= Number(values.rounds); round++) {
    // In both directions: a machine that is slowed down meanwhile by something else would favour one side.
    for (const name of round % 2 === 1 ? names : names.toReversed()) {
      process.stderr.write(`round ${round}: ${SIDES[name].title}\n`);
      await measure(name);
    }
  }
} finally {
  await servers.discard();
  rmSync(folder, { recursive: true, force: true });
}
print();

async function measure(name: SideName): Promise<void> {
  const url = servers.urls.rabbitmq;
  const child = join(import.meta.dirname, 'rpc', 'side.child.ts');
  const server = fork(child, [SIDES[name].module, 'server', url]);
  const { address } = await next<{ address?: number }>(server);
  const client = fork(child, [SIDES[name].module, 'client', url, ...(address === undefined ? [] : [`${address}`])]);
  await next(client);
  for (const inFlight of levels) {
    await ask(client, { inFlight, durationMs: WARM_UP_MS });
    const before = [server.pid, client.pid, servers.rabbitmq.part?.pid].map(cpuMsOf);
    const { calls, tookMs, p50Ms, p99Ms } = await ask(client, { inFlight, durationMs });
    const after = [server.pid, client.pid, servers.rabbitmq.part?.pid].map(cpuMsOf);
    const [serverMs = 0, clientMs = 0, brokerMs = 0] = after.map((ms, index) => ms - (before[index] ?? 0));
    const measured = {
      callsPerSecond: (calls / tookMs) * 1000,
      p50Ms,
      p99Ms,
      ownCpuUs: ((serverMs + clientMs) / calls) * 1000,
      brokerCpuUs: (brokerMs / calls) * 1000,
    };
    results.set(keyOf(name, inFlight), [...(results.get(keyOf(name, inFlight)) ?? []), measured]);
  }
  for (const process of [client, server]) {
    process.disconnect();
    await once(process, 'exit');
  }
}

/** The next message of a child; its end without one is an error. */
async function next<T>(child: ChildProcess): Promise<T> {
  return await new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`A process of the bench ended with ${code}.`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as T);
    });
  });
}

function ask(client: ChildProcess, load: Load): Promise<LoadResult> {
  client.send(load);
  return next(client);
}

/** The median over the rounds. */
function median(name: SideName, inFlight: number, of: keyof Measured): number {
  return quantile(
    (results.get(keyOf(name, inFlight)) ?? []).map((measured) => measured[of]),
    0.5,
  );
}

function print(): void {
  for (const inFlight of levels) {
    console.log(`\n${inFlight} in flight, median of ${values.rounds} rounds of ${values.seconds} s`);
    printTable(
      ['side', 'calls/s', 'p50 ms', 'p99 ms', 'CPU of both µs/call', 'CPU of the broker µs/call'],
      names.map((name) => {
        const of = (what: keyof Measured) => median(name, inFlight, what);
        const broker = name === 'tcp' || name === 'http' ? '-' : of('brokerCpuUs');
        return [SIDES[name].title, of('callsPerSecond'), of('p50Ms'), of('p99Ms'), of('ownCpuUs'), broker];
      }),
    );
  }
  printRatios();
}

function printRatios(): void {
  const speed = (name: SideName) => median('worktrack', 64, 'callsPerSecond') / median(name, 64, 'callsPerSecond');
  const plain = Math.min(speed('amqplib'), speed('rabbitmq-client'));
  const alone = median('worktrack', 1, 'p50Ms') / median('amqplib', 1, 'p50Ms');
  const broker = median('worktrack', 64, 'brokerCpuUs') / median('amqplib', 64, 'brokerCpuUs');
  const quorum = median('quorum', 64, 'brokerCpuUs') / median('amqplib', 64, 'brokerCpuUs');
  const signing = median('worktrack', 64, 'ownCpuUs') / median('unsigned', 64, 'ownCpuUs');
  const rows: [string, number, string][] = [
    ['calls/s at 64, × the best plain client', plain, '≥ 3'],
    ['calls/s at 64, × NestJS', speed('nest'), '≥ 6'],
    ['calls/s at 64, × Moleculer', speed('moleculer'), '≥ 6'],
    ['calls/s at 64, × the HTTP hop', speed('http'), '≥ 1.8'],
    ['p50 alone, × plain amqplib', alone, '≤ 1.2'],
    ['calls/s at 64, × unsigned', speed('unsigned'), '≥ 0.97'],
    ['CPU of both per call at 64, × unsigned', signing, '≤ 1.03'],
    ['CPU of the broker per call at 64, × plain amqplib', broker, '≤ 0.15'],
    ['the same of a quorum queue, by plain amqplib', quorum, ''],
    ['p50 alone of a quorum queue, by plain amqplib', median('quorum', 1, 'p50Ms') / median('amqplib', 1, 'p50Ms'), ''],
  ];
  console.log('\nlibs/rpc beside the others');
  printTable(
    ['what', 'ratio', 'wanted'],
    rows.filter(([, ratio]) => Number.isFinite(ratio)),
  );
}
