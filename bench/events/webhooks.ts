import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createOrganization } from '@worktrack/stack/seed/organization';
import { cpuMsOf } from '../support/cpu.ts';
import { quantile } from '../support/quantile.ts';
import { type System, startBenchSystem } from '../support/system.ts';
import { newProject, paced } from './project.ts';
import type { Row } from './row.ts';

const BACKLOG_EVENTS = 3_000;
const BACKLOG_WEBHOOKS = 4;
const WRITERS = 16;
const QUIET_MS = 1_000;
const GOOD = 100;
const DEAD = 50;
const HANGING = 50;
/** Each has its share of good and bad endpoints: one may have at most 50. */
const ORGANIZATIONS = 5;
const PER_SECOND = 5;
const SECONDS = 20;
const ARRIVES_MS = 60_000;
/** Refuses connections. */
const DEAD_URL = 'http://127.0.0.1:9/';

/** Deliveries to endpoints on this machine: how many per second, and what dead and hanging ones cost the others. */
export async function webhooks(): Promise<Row[]> {
  const system = await startBenchSystem({ env: { LOG_LEVEL: 'error', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } });
  try {
    return [...(await backlog(system)), ...(await besideBadOnes(system))];
  } finally {
    await system.stop();
  }
}

/** What has accumulated, to one endpoint and to several at once. The events are about many subjects: those about one go one after the other. */
async function backlog(system: System): Promise<Row[]> {
  const project = await newProject(system);
  const receiver = await startReceiver();
  try {
    const from = await headOf(system);
    let left = BACKLOG_EVENTS;
    const write = async () => {
      while (left-- > 0) await project.newTask(`Task ${left}`);
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
    await untilQuiet(system);
    const rows: Row[] = [];
    for (const endpoints of [1, BACKLOG_WEBHOOKS]) {
      const wanted = BACKLOG_EVENTS * endpoints;
      receiver.received.clear();
      const made = Array.from({ length: endpoints }, (_, number) =>
        system.call<{ id: string }>('POST', '/api/webhooks', {
          url: `${receiver.url}/${number}`,
          types: ['work_item.created'],
        }),
      );
      const ids = (await Promise.all(made)).map(({ id }) => id);
      const startedAtMs = performance.now();
      await Promise.all(ids.map((id) => system.call('POST', `/api/webhooks/${id}/replay`, { after: from })));
      while (receiver.received.size < wanted && performance.now() - startedAtMs < ARRIVES_MS) await delay(10);
      const seconds = (performance.now() - startedAtMs) / 1_000;
      for (const id of ids) await system.call('DELETE', `/api/webhooks/${id}`);
      const what = `a backlog of ${BACKLOG_EVENTS} events to ${endpoints === 1 ? 'an endpoint' : `${endpoints} endpoints`}`;
      rows.push([`${what}: deliveries a second`, receiver.received.size / seconds, '1,000']);
      rows.push([`${what}: delivered`, receiver.received.size, `${wanted}`]);
    }
    return rows;
  } finally {
    await receiver.close();
  }
}

/** How much later good endpoints get their deliveries alongside dead and hanging ones. */
async function besideBadOnes(system: System): Promise<Row[]> {
  const receiver = await startReceiver();
  const hanging = createServer(() => {
    // Never answered.
  });
  hanging.listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  const hangingUrl = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`;
  const tasks = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, async (_, number) => {
      const own = await ofAnother(system, number);
      return { call: own.call, id: (await (await newProject(own)).newTask('Task')).id };
    }),
  );
  const addToEach = async (count: number, urlOf: (number: number) => string) => {
    for (const { call } of tasks) {
      for (let number = 0; number < count / ORGANIZATIONS; number++) {
        await call('POST', '/api/webhooks', { url: urlOf(number), types: ['work_item.commented'] });
      }
    }
  };
  const parts = [system.services.of('events')[0]?.part.pid, system.servers.mongodb.part?.pid];
  const usedMs = () => parts.reduce<number>((sum, pid) => sum + cpuMsOf(pid), 0);
  const measure = async (name: string) => {
    receiver.sinceMadeMs.length = 0;
    const usedBeforeMs = usedMs();
    await paced(PER_SECOND, SECONDS, async (number) => {
      const { call, id } = tasks[number % ORGANIZATIONS] as (typeof tasks)[number];
      await call('POST', `/api/work-items/${id}/comments`, { text: `${name} ${number}` });
    });
    const wanted = (PER_SECOND * SECONDS * GOOD) / ORGANIZATIONS;
    const untilMs = Date.now() + ARRIVES_MS;
    while (receiver.sinceMadeMs.length < wanted && Date.now() < untilMs) await delay(20);
    const { sinceMadeMs } = receiver;
    return {
      p50: quantile(sinceMadeMs, 0.5),
      p99: quantile(sinceMadeMs, 0.99),
      share: sinceMadeMs.length / wanted,
      cpuMs: (usedMs() - usedBeforeMs) / sinceMadeMs.length,
    };
  };
  try {
    await addToEach(GOOD, (number) => `${receiver.url}/${number}`);
    await measure('warm');
    const alone = await measure('alone');
    await addToEach(DEAD, () => DEAD_URL);
    await addToEach(HANGING, () => hangingUrl);
    // Until the bad ones are at their worst: requests hang, and what failed is due again.
    await measure('worse');
    const beside = await measure('beside');
    const bad = `${DEAD} dead and ${HANGING} hanging ones`;
    return [
      [`event made → received by ${GOOD} good endpoints, alone: p50 ms`, alone.p50, ''],
      [`event made → received by ${GOOD} good endpoints, alone: p99 ms`, alone.p99, ''],
      [`the same beside ${bad}: p50 ms`, beside.p50, ''],
      [`the same beside ${bad}: p99 ms`, beside.p99, ''],
      ['ratio of the p99', beside.p99 / alone.p99, '1.1'],
      ['CPU of the events service and the database for each of these deliveries, alone: ms', alone.cpuMs, ''],
      [`the same beside ${bad}: ms`, beside.cpuMs, ''],
      ['share of the deliveries to good ones that arrived', Math.min(alone.share, beside.share), '1'],
    ];
  } finally {
    hanging.closeAllConnections();
    hanging.close();
    await receiver.close();
  }
}

/** Answers at once, and records what arrived for the first time. */
async function startReceiver() {
  const received = new Set<string>();
  const sinceMadeMs: number[] = [];
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
      sinceMadeMs.push(Date.now() - Date.parse(JSON.parse(body).at));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    sinceMadeMs,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The same system, as called by another organization. */
async function ofAnother(system: System, number: number): Promise<System> {
  const { environment, gateways } = system;
  const secrets = { RPC_SECRETS_KEYS: environment.RPC_SECRETS_KEYS ?? '' };
  const { apiKey } = await createOrganization(environment.RABBITMQ_URL, secrets, {
    name: `Bench ${number}`,
    ownerEmail: `bench-${number}@example.com`,
  });
  const call: System['call'] = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${gateways[0]}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { data, error } = (await response.json()) as { data: T; error?: { message: string } };
    if (error) throw new Error(error.message);
    return data;
  };
  return { ...system, call };
}

/** Once everything that was done is in the log. */
async function untilQuiet(system: System): Promise<void> {
  for (let last = -1, head = 0; head !== last; head = await headOf(system)) {
    last = head;
    await delay(QUIET_MS);
  }
}

/** Where the log ends. */
async function headOf({ call }: System): Promise<number> {
  return (await call<{ nextSeq: number }>('GET', '/api/events')).nextSeq;
}
