import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createOrganization } from '@worktrack/stack/organization';
import { startBenchSystem } from '../support/system.ts';
import { newProject, paced, type System } from './project.ts';
import { quantile, type Row } from './row.ts';

const BACKLOG_WEBHOOKS = 4;
const BACKLOG_EVENTS = 3_000;
const GOOD = 100;
const DEAD = 50;
const HANGING = 50;
/** Of an organization there are at most 50: the good and the bad ones of each share it. */
const ORGANIZATIONS = 5;
const PER_SECOND = 5;
const SECONDS = 20;
const ARRIVES_MS = 60_000;
/** Refuses connections. */
const DEAD_URL = 'http://127.0.0.1:9/';

/** Deliveries to endpoints on this machine. */
export async function webhooks(): Promise<Row[]> {
  const system = await startBenchSystem({ env: { LOG_LEVEL: 'error', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
  try {
    return [...(await backlog(system)), ...(await badNeighbours(system))];
  } finally {
    await system.stop();
  }
}

/** How fast what has gathered goes out. */
async function backlog(system: System): Promise<Row[]> {
  const project = await newProject(system);
  const { id } = await project.newTask('Task');
  const receiver = await startReceiver();
  const { seq } = { seq: await headOf(system) };
  let left = BACKLOG_EVENTS;
  const comment = async () => {
    while (left-- > 0) await system.call('POST', `/api/work-items/${id}/comments`, { text: `Comment ${left}` });
  };
  await Promise.all(Array.from({ length: 16 }, comment));
  while ((await headOf(system)) < seq + BACKLOG_EVENTS) await delay(50);
  const hooks = await Promise.all(
    Array.from({ length: BACKLOG_WEBHOOKS }, (_, number) =>
      system.call<{ id: string }>('POST', '/api/webhooks', {
        url: `${receiver.url}/${number}`,
        types: ['work_item.commented'],
      }),
    ),
  );
  const startedAtMs = performance.now();
  await Promise.all(hooks.map((hook) => system.call('POST', `/api/webhooks/${hook.id}/replay`, { after: seq })));
  const wanted = BACKLOG_EVENTS * BACKLOG_WEBHOOKS;
  while (receiver.received.size < wanted && performance.now() - startedAtMs < ARRIVES_MS) await delay(10);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  for (const hook of hooks) await system.call('DELETE', `/api/webhooks/${hook.id}`);
  await receiver.close();
  return [
    [
      `deliveries a second of a backlog of ${BACKLOG_EVENTS} events for each of ${BACKLOG_WEBHOOKS} webhooks`,
      receiver.received.size / seconds,
      '1,000',
    ],
    ['of them delivered', receiver.received.size, `${wanted}`],
  ];
}

/** What good endpoints get later because of dead and hanging ones. */
async function badNeighbours(system: System): Promise<Row[]> {
  const receiver = await startReceiver();
  const hanging = createServer(() => {
    // Never answered.
  });
  hanging.listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  const hangingUrl = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`;
  const organizations = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, async (_, number) => {
      const { apiKey } = await createOrganization(
        system.environment.RABBITMQ_URL,
        { RPC_SECRETS_KEYS: system.environment.RPC_SECRETS_KEYS ?? '' },
        { name: `Bench ${number}`, ownerEmail: `bench-${number}@example.com` },
      );
      const own: System = { ...system, call: callAs(system, apiKey.key) as System['call'] };
      return { call: own.call, task: await (await newProject(own)).newTask('Task') };
    }),
  );
  const addEach = async (count: number, url: (number: number) => string) => {
    for (const { call } of organizations) {
      for (let number = 0; number < count / ORGANIZATIONS; number++) {
        await call('POST', '/api/webhooks', { url: url(number), types: ['work_item.commented'] });
      }
    }
  };
  const measure = async (name: string) => {
    receiver.latenciesMs.length = 0;
    await paced(PER_SECOND, SECONDS, async (number) => {
      const { call, task } = organizations[number % ORGANIZATIONS] as (typeof organizations)[number];
      await call('POST', `/api/work-items/${task.id}/comments`, { text: `${name} ${number}` });
    });
    const wanted = (PER_SECOND * SECONDS * GOOD) / ORGANIZATIONS;
    const untilMs = Date.now() + ARRIVES_MS;
    while (receiver.latenciesMs.length < wanted && Date.now() < untilMs) await delay(20);
    return { p99: quantile(receiver.latenciesMs, 0.99), share: receiver.latenciesMs.length / wanted };
  };
  try {
    await addEach(GOOD, (number) => `${receiver.url}/${number}`);
    await measure('warm');
    const alone = await measure('alone');
    await addEach(DEAD, () => DEAD_URL);
    await addEach(HANGING, () => hangingUrl);
    // The bad ones are at their worst: attempts hang, and others are due again.
    await measure('worse');
    const beside = await measure('beside');
    return [
      [`event made → received by ${GOOD} good endpoints, p99 ms`, alone.p99, ''],
      [`the same beside ${DEAD} dead and ${HANGING} hanging ones, p99 ms`, beside.p99, ''],
      ['ratio', beside.p99 / alone.p99, '1.1'],
      ['share of the deliveries to good ones that arrived', Math.min(alone.share, beside.share), '1'],
    ];
  } finally {
    hanging.closeAllConnections();
    hanging.close();
    await receiver.close();
  }
}

/** Answers at once, and notes what came. */
async function startReceiver() {
  const received = new Set<string>();
  const latenciesMs: number[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      response.end();
      const delivery = `${request.url} ${request.headers['webhook-id']}`;
      if (received.has(delivery)) return;
      received.add(delivery);
      latenciesMs.push(Date.now() - Date.parse(JSON.parse(body).at));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    latenciesMs,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function callAs({ gateways }: System, apiKey: string) {
  return async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${gateways[0]}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { data, error } = (await response.json()) as { data: unknown; error?: { message: string } };
    if (error) throw new Error(error.message);
    return data;
  };
}

/** Of the log: the seq of the last event. */
async function headOf({ call }: System): Promise<number> {
  return (await call<{ nextSeq: number }>('GET', '/api/events')).nextSeq;
}
