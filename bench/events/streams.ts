import { setTimeout as delay } from 'node:timers/promises';
import { residentMiB } from '../support/memory.ts';
import { startBenchSystem } from '../support/system.ts';
import { newProject, paced } from './project.ts';
import type { Row } from './row.ts';
import { openStream, type StreamReader } from './stream-reader.ts';

const STREAMS = 500;
const STREAMS_OF_A_KEY = 20;
const PER_SECOND = 50;
const SECONDS = 20;
const ITEMS = 50;
const ARRIVES_MS = 30_000;

/** Many open streams of one gateway, each of which gets every event of the organization. */
export async function streams(): Promise<Row[]> {
  const system = await startBenchSystem({ env: { LOG_LEVEL: 'warn' } });
  try {
    const [gateway = ''] = system.gateways;
    const pid = system.services.of('gateway')[0]?.part.pid ?? Number.NaN;
    const project = await newProject(system);
    const items = await Promise.all(Array.from({ length: ITEMS }, (_, at) => project.newTask(`Task ${at}`)));
    const beforeMiB = residentMiB(pid);
    const readers: StreamReader[] = [];
    for (let number = 0; number < STREAMS / STREAMS_OF_A_KEY; number++) {
      const { key } = await system.call<{ key: string }>('POST', '/api/api-keys', {
        name: `Streams ${number}`,
        permissions: ['work-items:read'],
        rateLimit: { requests: 0 },
      });
      readers.push(...(await Promise.all(Array.from({ length: STREAMS_OF_A_KEY }, () => openStream(gateway, key)))));
    }
    const openMiB = residentMiB(pid);
    let mostMiB = openMiB;
    const watch = setInterval(() => {
      mostMiB = Math.max(mostMiB, residentMiB(pid));
    }, 100);
    const starts = readers.map(({ seqs }) => seqs.length);
    await paced(PER_SECOND, SECONDS, (number) =>
      system.call('POST', `/api/work-items/${items[number % ITEMS]?.id}/comments`, { text: `Comment ${number}` }),
    );
    const writes = PER_SECOND * SECONDS;
    const doneAtMs = Date.now();
    const isWhole = ({ seqs }: StreamReader, at: number) => seqs.length - (starts[at] ?? 0) >= writes;
    while (!readers.every(isWhole) && Date.now() < doneAtMs + ARRIVES_MS) await delay(20);
    const behindMs = Date.now() - doneAtMs;
    clearInterval(watch);
    const inOrder = readers.filter(({ seqs }) => seqs.every((seq, at) => at === 0 || seq > (seqs[at - 1] ?? 0)));
    for (const reader of readers) reader.close();
    return [
      [
        `${STREAMS} streams, ${PER_SECOND} writes/s for ${SECONDS} s: streams that got every event`,
        readers.filter(isWhole).length,
        `${STREAMS}`,
      ],
      ['streams that got them in order, each once', inOrder.length, `${STREAMS}`],
      ['last write answered → last event at the last stream, ms', behindMs, ''],
      ['gateway before, MiB', beforeMiB, ''],
      ['for each open stream, KiB', ((openMiB - beforeMiB) / STREAMS) * 1_024, ''],
      ['gateway at most, MiB', mostMiB, '400'],
    ];
  } finally {
    await system.stop();
  }
}
