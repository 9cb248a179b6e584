import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICES, type ServiceName } from '@worktrack/stack/layout';
import type { Part } from '@worktrack/stack/processes/part';
import { connect } from 'amqplib';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';
import { Endpoint } from '../support/webhook-endpoint.ts';

/** As in docs/operations.md, "Secret rotation": what each service is given, step by step. */
type Environment = Record<string, string>;
const given: Record<ServiceName, Environment> = { gateway: {}, keys: {}, workitems: {}, feedback: {}, events: {} };
const OWN_RING = {
  keys: 'RPC_SECRETS_KEYS',
  workitems: 'RPC_SECRETS_WORKITEMS',
  feedback: 'RPC_SECRETS_FEEDBACK',
  events: 'RPC_SECRETS_EVENTS',
} as const;
const BEHIND = Object.keys(OWN_RING) as (keyof typeof OWN_RING)[];

let system: Awaited<ReturnType<typeof startSystem>>;
let organization: TestOrganization;
let publicKey: string;
let endpoint: Endpoint;
let webhookSecret: string;

beforeAll(async () => {
  system = await startSystem({
    replicas: { gateway: 2, keys: 2, workitems: 2, feedback: 2, events: 2 },
    ownServers: ['rabbitmq', 'redis', 'mongodb'],
    env: {
      FEEDBACK_RATE_PER_IP: '1000000',
      FEEDBACK_RATE_PER_SOURCE: '1000000',
      FEEDBACK_BOOTSTRAP_RATE_PER_IP: '1000000',
    },
    envOf: (id) => given[id.split('-')[0] as ServiceName],
  });
  await Promise.all(partsOf(SERVICES, 1).map((part) => part.stop()));
  organization = await system.newOrganization();
  const source = await organization.call<{ publicKey: string }>('POST', '/api/feedback/sources', {
    type: 'widget',
    name: 'Rotation',
    allowedDomains: [],
    requireCaptcha: false,
  });
  publicKey = source.data.publicKey;
  endpoint = await Endpoint.start();
  const webhook = await organization.call<{ secret: string }>('POST', '/api/webhooks', {
    url: endpoint.url,
    types: ['work_item.created'],
  });
  webhookSecret = webhook.data.secret;
});
afterAll(async () => {
  await system?.stop();
  await endpoint?.stop();
});

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** As through a load balancer: what one gateway does not accept, because it is being replaced, the other does. */
async function send({
  method,
  path,
  body,
  headers = {},
}: Request): Promise<{ status: number; data: Record<string, unknown> }> {
  let failure: unknown;
  for (const gateway of system.gateways) {
    try {
      const response = await fetch(`${gateway}${path}`, {
        method,
        headers: { authorization: `Bearer ${organization.apiKey}`, 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      const { data, error } = (await response.json()) as {
        data: Record<string, unknown>;
        error: Record<string, unknown>;
      };
      return { status: response.status, data: data ?? error };
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** So that all of them together stay below what one key may request per minute. */
const PAUSE_MS = 100;

/** Clients that run the whole time; each of their requests is answered as it should be, or recorded. */
class Clients {
  readonly refused: string[] = [];
  readonly answered: Record<string, number> = {};
  #running = true;
  readonly #clients = [this.#work(), this.#work(), this.#visit(), this.#read()];

  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  async #send(what: string, expected: number, request: Request): Promise<Record<string, unknown>> {
    try {
      const { status, data } = await send(request);
      if (status === expected) this.answered[what] = (this.answered[what] ?? 0) + 1;
      else this.refused.push(`${what}: ${status} ${JSON.stringify(data)}`);
      return data ?? {};
    } catch (error) {
      this.refused.push(`${what}: ${error}`);
      return {};
    } finally {
      await delay(PAUSE_MS);
    }
  }

  async #work(): Promise<void> {
    const { boardId, columns } = organization;
    while (this.#running) {
      const body = { title: 'Kept', type: 'task', boardId, boardColumnId: columns.Backlog };
      // A gateway that exits before it has answered may have stored it: the other one is asked with the same key.
      const headers = { 'idempotency-key': randomUUID() };
      await this.#send('create', 201, { method: 'POST', path: '/api/work-items', body, headers });
    }
  }

  async #read(): Promise<void> {
    while (this.#running) {
      await this.#send('me', 200, { method: 'GET', path: '/api/me' });
      await this.#send('list', 200, { method: 'GET', path: '/api/feedback/items?limit=5' });
    }
  }

  /** A token is used by the next visit too, so that it is issued before a step and used after it. */
  async #visit(): Promise<void> {
    const path = `/feedback/widget/bootstrap?publicKey=${publicKey}`;
    let token: unknown;
    while (this.#running) {
      const next = (await this.#send('bootstrap', 200, { method: 'GET', path })).token;
      const body = { publicKey, token: token ?? next, message: `Rotation ${randomUUID()}` };
      const headers = { 'idempotency-key': randomUUID() };
      await this.#send('ingest', 201, { method: 'POST', path: '/feedback/ingest', body, headers });
      token = next;
    }
  }
}

/** The replicas of these services with an index: of each there is one, and while it is replaced, the other one, too. */
function partsOf(services: readonly ServiceName[], index: number): Part[] {
  return services.map((service) => system.services.of(service)[index]?.part as Part);
}

/** As a rolling update: the one with this index starts with what it is given now, works beside the one from before, and then is alone. */
async function replaceBy(index: 0 | 1): Promise<void> {
  for (const services of [BEHIND, ['gateway' as const]]) {
    await Promise.all(partsOf(services, index).map((part) => part.restart()));
    await Promise.all(partsOf(services, 1 - index).map((part) => part.stop()));
  }
}

/** How many events of each type the log has. */
async function loggedTypes(): Promise<Record<string, number>> {
  const types: Record<string, number> = {};
  for (let after = 0; ; ) {
    const { data } = await send({ method: 'GET', path: `/api/events?limit=200&after=${after}` });
    for (const { type } of data.events as { type: string }[]) types[type] = (types[type] ?? 0) + 1;
    if (data.nextSeq === after) return types;
    after = data.nextSeq as number;
  }
}

const RESEALED = 'The secrets of webhooks are encrypted with the first key';

/** How often the first replica has logged that no webhook secret is left that is encrypted with an older key. */
function resealed(): number {
  return readFileSync(join(system.folder, 'logs', 'events.log'), 'utf8').split(RESEALED).length - 1;
}

// Hexadecimal: rabbitmqctl would take a leading hyphen for an option.
const secret = () => randomBytes(32).toString('hex');
const NEW_USER = 'rotated';

async function addUsers(password: string): Promise<{ RABBITMQ_URL: string; REDIS_URL: string; MONGODB_URL: string }> {
  const { rabbitmq, redis, mongodb } = system.urls;
  await system.servers?.rabbitmqctl(['add_user', NEW_USER, password]);
  await system.servers?.rabbitmqctl(['set_permissions', NEW_USER, '.*', '.*', '.*']);
  const cache = new Redis(redis);
  await cache.call('ACL', 'SETUSER', 'default', `>${password}`);
  cache.disconnect();
  await asAdmin(async (client) => {
    await client.db('admin').command({ createUser: NEW_USER, pwd: password, roles: ['root'] });
  });
  const as = (url: string, username: string) => Object.assign(new URL(url), { username, password }).href;
  return { RABBITMQ_URL: as(rabbitmq, NEW_USER), REDIS_URL: as(redis, ''), MONGODB_URL: as(mongodb, NEW_USER) };
}

async function removeUsers(newUrls: Environment): Promise<void> {
  const { rabbitmq, redis, mongodb } = system.urls;
  await system.servers?.rabbitmqctl(['delete_user', new URL(rabbitmq).username]);
  const cache = new Redis(newUrls.REDIS_URL as string);
  await cache.call('ACL', 'SETUSER', 'default', `<${new URL(redis).password}`);
  cache.disconnect();
  await asAdmin(async (client) => {
    await client.db('admin').command({ dropUser: new URL(mongodb).username });
  }, newUrls.MONGODB_URL);
}

async function asAdmin(work: (client: MongoClient) => Promise<void>, url = system.urls.mongodb): Promise<void> {
  const client = await MongoClient.connect(url);
  await work(client).finally(() => client.close());
}

test('every secret is replaced, step by step as documented, and no request is refused', {
  timeout: 600_000,
}, async () => {
  const old = system.secrets;
  const rings = [
    ...Object.values(OWN_RING),
    'WIDGET_TOKEN_SECRETS' as const,
    'EVENT_SECRETS' as const,
    'WEBHOOK_SECRETS' as const,
  ];
  const fresh = Object.fromEntries(rings.map((name) => [name, `2:${secret()}`])) as Record<
    (typeof rings)[number],
    string
  >;
  const before = (await send({ method: 'GET', path: `/feedback/widget/bootstrap?publicKey=${publicKey}` })).data.token;
  const clients = new Clients();

  // Another user on each server, and the new secrets behind the old: from now on everything verifies them.
  const urls = await addUsers(secret());
  for (const service of SERVICES) Object.assign(given[service], urls);
  for (const service of BEHIND)
    given[service][OWN_RING[service]] = `${old[OWN_RING[service]]},${fresh[OWN_RING[service]]}`;
  for (const service of ['gateway', 'feedback'] as const) {
    given[service].WIDGET_TOKEN_SECRETS = `${old.WIDGET_TOKEN_SECRETS},${fresh.WIDGET_TOKEN_SECRETS}`;
  }
  for (const service of SERVICES) given[service].EVENT_SECRETS = `${old.EVENT_SECRETS},${fresh.EVENT_SECRETS}`;
  given.events.WEBHOOK_SECRETS = `${old.WEBHOOK_SECRETS},${fresh.WEBHOOK_SECRETS}`;
  given.gateway.IP_HASH_SECRET = secret();
  await replaceBy(1);

  // In front: they sign.
  for (const service of BEHIND)
    given.gateway[OWN_RING[service]] = `${fresh[OWN_RING[service]]},${old[OWN_RING[service]]}`;
  for (const service of ['gateway', 'feedback'] as const) {
    given[service].WIDGET_TOKEN_SECRETS = `${fresh.WIDGET_TOKEN_SECRETS},${old.WIDGET_TOKEN_SECRETS}`;
  }
  for (const service of SERVICES) given[service].EVENT_SECRETS = `${fresh.EVENT_SECRETS},${old.EVENT_SECRETS}`;
  given.events.WEBHOOK_SECRETS = `${fresh.WEBHOOK_SECRETS},${old.WEBHOOK_SECRETS}`;
  const resealedBefore = resealed();
  await replaceBy(0);
  await expect.poll(resealed).toBeGreaterThan(resealedBefore);

  // The old ones out. (One would wait for the last of the tokens that they signed, 15 minutes; these clients no longer hold any.)
  await removeUsers(urls);
  for (const service of BEHIND) given[service][OWN_RING[service]] = fresh[OWN_RING[service]];
  for (const service of ['gateway', 'feedback'] as const)
    given[service].WIDGET_TOKEN_SECRETS = fresh.WIDGET_TOKEN_SECRETS;
  for (const service of SERVICES) given[service].EVENT_SECRETS = fresh.EVENT_SECRETS;
  given.events.WEBHOOK_SECRETS = fresh.WEBHOOK_SECRETS;
  for (const service of BEHIND) given.gateway[OWN_RING[service]] = fresh[OWN_RING[service]];
  await replaceBy(1);
  await clients.stop();

  const { answered } = clients;
  console.log(answered);
  expect(clients.refused).toEqual([]);
  for (const what of ['create', 'me', 'list', 'bootstrap', 'ingest']) expect(clients.answered[what]).toBeGreaterThan(0);

  // No event was refused either.
  await expect.poll(async () => (await loggedTypes())['work_item.created']).toBe(answered.create);
  await expect.poll(async () => (await loggedTypes())['feedback.received']).toBe(answered.ingest);

  // A webhook was sent each of them, signed with the secret that it was originally given.
  const delivered = () => new Set(endpoint.received.map(({ headers }) => headers['webhook-id'])).size;
  await expect.poll(delivered).toBe(answered.create);
  const verifier = new Webhook(webhookSecret);
  for (const { body, headers } of endpoint.received) {
    // Older requests are refused for their age alone.
    const atMs = Number(headers['webhook-timestamp']) * 1_000;
    expect(verifier.sign(String(headers['webhook-id']), new Date(atMs), body)).toBe(headers['webhook-signature']);
  }

  // And the old ones no longer work.
  const body = { publicKey, token: before, message: 'With a token of the old secret' };
  expect((await send({ method: 'POST', path: '/feedback/ingest', body })).status).toBe(401);
  await expect(connect(system.urls.rabbitmq)).rejects.toThrow('403');
  await expect(MongoClient.connect(system.urls.mongodb)).rejects.toThrow(/uthentication/);
  const cache = new Redis(system.urls.redis, { lazyConnect: true, retryStrategy: null });
  cache.on('error', () => {});
  await expect(cache.connect()).rejects.toThrow();
});
