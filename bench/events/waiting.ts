import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { countCommands } from '../support/command-count.ts';
import { residentMiB } from '../support/memory.ts';
import { quantile } from '../support/quantile.ts';
import { type System, startBenchSystem } from '../support/system.ts';
import { newProject, paced } from './project.ts';
import type { Row } from './row.ts';

const AGENTS = 1_000;
const WAIT_SECONDS = 55;
const IDLE_MS = 5_000;
const SETTLES_MS = 4_000;
const READY_SECONDS = 20;
/** Of the connections and processes, not of what they do. */
const UNCOUNTED = new Set(['hello', 'ismaster', 'ping', 'buildInfo', 'endSessions', 'killSessions']);

interface Claimed {
  readonly id: string;
  readonly atMs: number;
}

/** Many agents wait over MCP for something to do; then tasks become ready, one for each. */
export async function waiting(): Promise<Row[]> {
  return [...(await idle()), ...(await claims())];
}

/** What they cost while nothing happens, compared with the same system without them. Through a proxy that counts, so no time is measured here. */
async function idle(): Promise<Row[]> {
  let counter: Awaited<ReturnType<typeof countCommands>> | undefined;
  const system = await startBenchSystem({
    env: { LOG_LEVEL: 'warn' },
    databaseVia: async (url) => {
      counter = await countCommands(url, (name) => !UNCOUNTED.has(name));
      return counter.url;
    },
  });
  try {
    const { id } = await newProject(system);
    const perSecond = async () => {
      counter?.take();
      await delay(IDLE_MS);
      return [...(counter?.take().values() ?? [])].reduce((sum, count) => sum + count, 0) / (IDLE_MS / 1_000);
    };
    const memoryKiB = () =>
      system.services.replicas
        .filter(({ service }) => service === 'gateway' || service === 'workitems')
        .reduce((sum, { part }) => sum + residentMiB(part.pid ?? Number.NaN) * 1_024, 0);
    // The same number of calls that do not wait: what the processes keep after a load is not due to the parked calls.
    for (let round = 0; round < 2; round++) {
      const warm = park(system, id, 0);
      await Promise.all(warm.answers);
    }
    await delay(SETTLES_MS);
    const without = await perSecond();
    const beforeKiB = memoryKiB();
    const parked = park(system, id, WAIT_SECONDS);
    await delay(SETTLES_MS);
    const withThem = await perSecond();
    const afterKiB = memoryKiB();
    parked.leave();
    await Promise.allSettled(parked.answers);
    return [
      ['database commands a second of an idle system, without waiting agents', without, ''],
      [`the same with ${AGENTS} waiting agents: more by`, Math.max(0, withThem - without), '0'],
      ['memory of gateway and workitems for each parked call, KiB', (afterKiB - beforeKiB) / AGENTS, '20'],
    ];
  } finally {
    await system.stop();
    counter?.close();
  }
}

async function claims(): Promise<Row[]> {
  const system = await startBenchSystem({ env: { LOG_LEVEL: 'warn' } });
  try {
    const project = await newProject(system);
    const parked = park(system, project.id, WAIT_SECONDS);
    await delay(SETTLES_MS);
    const readyAtMs = new Map<string, number>();
    await paced(AGENTS / READY_SECONDS, READY_SECONDS, async (number) => {
      const { id } = await project.newTask(`Task ${number}`);
      // Once it is answered it is stored; a claim may be even faster.
      readyAtMs.set(id, performance.now());
    });
    const claimed = (await Promise.all(parked.answers)).filter((each) => each !== undefined);
    const tookMs = claimed.map(({ id, atMs }) => Math.max(0, atMs - (readyAtMs.get(id) ?? 0)));
    return [
      [
        `${AGENTS} tasks get ready in ${READY_SECONDS} s: tasks with one winner`,
        new Set(claimed.map(({ id }) => id)).size,
        `${AGENTS}`,
      ],
      ['agents that got a task', claimed.length, `${AGENTS}`],
      ['ready → claimed at the agent, p50 ms', quantile(tookMs, 0.5), ''],
      ['ready → claimed at the agent, p99 ms', quantile(tookMs, 0.99), '250'],
    ];
  } finally {
    await system.stop();
  }
}

/** Each agent has its own connection, as real ones do. */
function park(system: System, projectId: string, waitSeconds: number) {
  const gone = new AbortController();
  const answers = Array.from({ length: AGENTS }, (_, number) =>
    claim(system, { projectId, agent: `Agent ${number}`, waitSeconds }, gone.signal),
  );
  return { answers, leave: () => gone.abort() };
}

async function claim(
  { gateways, apiKey }: System,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Claimed | undefined> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'claim_work_item', arguments: input },
  });
  const answer = await new Promise<string>((resolve, reject) => {
    const sent = request(`${gateways[0]}/mcp`, {
      method: 'POST',
      agent: false,
      signal,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
    });
    sent.on('response', (response) => void text(response).then(resolve, reject));
    sent.on('error', reject);
    sent.end(body);
  });
  const atMs = performance.now();
  const json = answer.startsWith('{') ? answer : (/^data: (.*)$/m.exec(answer)?.[1] ?? '{}');
  const { result } = JSON.parse(json) as { result?: { structuredContent?: { workItem?: { id: string } | null } } };
  const item = result?.structuredContent?.workItem;
  return item ? { id: item.id, atMs } : undefined;
}
