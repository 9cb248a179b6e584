import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../support/quantile.ts';
import { startBenchSystem } from '../support/system.ts';
import { newProject, paced } from './project.ts';
import type { Row } from './row.ts';
import { openStream } from './stream-reader.ts';

const ALONE_WRITES = 200;
const PER_SECOND = 200;
const SECONDS = 15;
const ITEMS = 50;
const ARRIVES_MS = 10_000;

/**
 * The time from a write to its event on an open stream, both measured in this process. It counts from the arrival of the write's response, after the commit;
 * and, as an upper bound, from `at`, the moment before the commit when the event was made.
 */
export async function latency(): Promise<Row[]> {
  const system = await startBenchSystem({ env: { LOG_LEVEL: 'warn' } });
  try {
    const [gateway = ''] = system.gateways;
    const project = await newProject(system);
    const items = await Promise.all(Array.from({ length: ITEMS }, (_, at) => project.newTask(`Task ${at}`)));
    const arrivedAtMs = new Map<string, number>();
    const sinceMadeMs = new Map<string, number>();
    const reader = await openStream(gateway, system.apiKey, (json) => {
      const { type, at, data } = JSON.parse(json);
      if (type !== 'work_item.commented') return;
      arrivedAtMs.set(data.text, performance.now());
      sinceMadeMs.set(data.text, Date.now() - Date.parse(at));
    });

    const measure = async (name: string, run: (write: (number: number) => Promise<void>) => Promise<void>) => {
      const answeredAtMs = new Map<string, number>();
      const tookMs: number[] = [];
      await run(async (number) => {
        const text = `${name} ${number}`;
        const startedAtMs = performance.now();
        await system.call('POST', `/api/work-items/${items[number % ITEMS]?.id}/comments`, { text });
        answeredAtMs.set(text, performance.now());
        tookMs.push(performance.now() - startedAtMs);
      });
      const untilMs = Date.now() + ARRIVES_MS;
      while ([...answeredAtMs.keys()].some((text) => !arrivedAtMs.has(text)) && Date.now() < untilMs) await delay(20);
      const texts = [...answeredAtMs.keys()];
      const sinceCommit = texts.map((text) =>
        Math.max(0, (arrivedAtMs.get(text) ?? Infinity) - (answeredAtMs.get(text) ?? 0)),
      );
      const sinceMade = texts.map((text) => sinceMadeMs.get(text) ?? Infinity);
      return { sinceCommit, sinceMade, tookMs };
    };
    const alone = await measure('alone', async (write) => {
      for (let number = 0; number < ALONE_WRITES; number++) await write(number);
    });
    const loaded = await measure('loaded', (write) => paced(PER_SECOND, SECONDS, write));
    reader.close();
    const rows = ({ sinceCommit, sinceMade, tookMs }: typeof alone, when: string): Row[] => [
      [`the write itself, ${when}: p50 ms`, quantile(tookMs, 0.5), ''],
      [`its answer → event at an open stream, ${when}: p50 ms`, quantile(sinceCommit, 0.5), '30'],
      [`its answer → event at an open stream, ${when}: p99 ms`, quantile(sinceCommit, 0.99), '150'],
      [`event made → event at an open stream, ${when}: p50 ms`, quantile(sinceMade, 0.5), '30'],
      [`event made → event at an open stream, ${when}: p99 ms`, quantile(sinceMade, 0.99), '150'],
    ];
    return [...rows(alone, 'alone'), ...rows(loaded, `under ${PER_SECOND} writes/s`)];
  } finally {
    await system.stop();
  }
}
