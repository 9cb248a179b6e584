import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { OperationError } from '@worktrack/contracts/errors';
import type { AdmittedSource } from '@worktrack/contracts/feedback/intake';
import { createLog } from '@worktrack/runtime/process/logging';
import { connectRedis, type Redis } from '@worktrack/runtime/redis/connection';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { type AdmissionLimits, Admissions, type RequestKind } from './admission.ts';

const log = createLog('test', 'silent');
const LIMITS: AdmissionLimits = { ingest: { perIp: 10, perSource: 600, windowSeconds: 60 }, bootstrapPerIp: 60 };
const CLIENT = 'client';

let number = 0;
function source(changes: Partial<AdmittedSource> = {}): AdmittedSource {
  return {
    id: randomUUID(),
    organizationId: randomUUID(),
    publicKey: `pk_${randomUUID().replaceAll('-', '').slice(0, 20)}${String(++number).padStart(4, '0')}`,
    type: 'widget',
    name: 'Site',
    allowedDomains: [],
    requireCaptcha: false,
    ...changes,
  };
}

const open: Redis[] = [];
let redisUrl: string;
beforeAll(async () => {
  redisUrl = (await servers()).redisUrl;
});
afterAll(() => {
  for (const redis of open) redis.disconnect();
});

/** A gateway's admissions: its own connection to Redis, and the sources that a lookup finds. */
async function gateway(sources: readonly AdmittedSource[], url = redisUrl) {
  const redis = connectRedis(url, log);
  open.push(redis);
  if (url === redisUrl) await new Promise((resolve) => redis.once('ready', resolve));
  const lookedUp: string[] = [];
  const found = new Map(sources.map((known) => [known.publicKey, known]));
  const admissions = new Admissions({
    redis,
    limits: LIMITS,
    log,
    lookUp: async (publicKey) => {
      lookedUp.push(publicKey);
      return found.get(publicKey) ?? null;
    },
  });
  const ask = (publicKey: string, client = CLIENT, kind: RequestKind = 'ingest') =>
    admissions.admit(kind, publicKey, client, 'request');
  return { ask, redis, lookedUp, found };
}

const admittedOf = (answers: readonly { readonly retryMs: number }[]) =>
  answers.filter(({ retryMs }) => retryMs === 0).length;

describe('N allowed means N', () => {
  test('for any number of concurrent requests of one client over three gateways', async () => {
    const one = source();
    const gateways = await Promise.all([gateway([one]), gateway([one]), gateway([one])]);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => gateways[i % 3]?.ask(one.publicKey)).map(async (answer) => answer),
    );
    expect(admittedOf(answers.filter((answer) => answer !== undefined))).toBe(10);
  });

  test('for concurrent requests of many clients at one source', async () => {
    const one = source({ rateLimit: { perIp: 7, perSource: 50, windowSeconds: 60 } });
    const gateways = await Promise.all([gateway([one]), gateway([one])]);
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, i) => (gateways[i % 2] as (typeof gateways)[0]).ask(one.publicKey, `c${i % 20}`)),
    );
    expect(admittedOf(answers)).toBe(50);
  });

  test('for a public key that names no source, with the default limits', async () => {
    const { ask } = await gateway([]);
    const unknown = source().publicKey;
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(unknown)));
    expect(admittedOf(answers)).toBe(10);
    expect(answers.every((answer) => answer.source === null)).toBe(true);
  });

  test('for what does not even have the form of a public key, and it is not looked up', async () => {
    const { ask, lookedUp } = await gateway([]);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => ask(`pk_{${i}}`, 'malformed client')));
    expect(admittedOf(answers)).toBe(10);
    expect(lookedUp).toEqual([]);
  });

  test('bootstraps and challenges have windows of their own, for each client and source', async () => {
    const one = source();
    const { ask } = await gateway([one]);
    for (const kind of ['bootstrap', 'challenge'] as const) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => ask(one.publicKey, CLIENT, kind)));
      expect(admittedOf(answers)).toBe(60);
      expect((await ask(one.publicKey, 'another', kind)).retryMs).toBe(0);
    }
    expect((await ask(one.publicKey)).retryMs).toBe(0);
  });
});

describe('the window slides', () => {
  const ages = async (redis: Redis, key: string, ...agesMs: number[]) => {
    const [seconds = 0, micros = 0] = (await redis.time()).map(Number);
    const nowMs = seconds * 1000 + Math.floor(micros / 1000);
    await redis.rpush(key, ...agesMs.map((age) => nowMs - age));
  };

  test('what was admitted longer ago than the window does not count, what was admitted within it does', async () => {
    const one = source({ rateLimit: { perIp: 3, perSource: 100, windowSeconds: 60 } });
    const { ask, redis } = await gateway([one]);
    await ages(redis, `feedback:{${one.publicKey}}:ingest:ip:${CLIENT}`, 20_000, 59_000, 60_001, 60_002);
    expect(await ask(one.publicKey)).toMatchObject({ retryMs: 0, rates: [{ remaining: 0 }, { remaining: 99 }] });
    const refused = await ask(one.publicKey);
    expect(refused.retryMs).toBeGreaterThan(0);
    expect(refused.retryMs).toBeLessThanOrEqual(1_000);
  });

  test('however much there is to clean up, the decision is exact', async () => {
    const one = source({ rateLimit: { perIp: 100, perSource: 1_000, windowSeconds: 60 } });
    const { ask, redis } = await gateway([one]);
    const key = `feedback:{${one.publicKey}}:ingest:ip:${CLIENT}`;
    await ages(redis, key, ...Array.from({ length: 60 }, () => 59_000), ...Array.from({ length: 40 }, () => 61_000));
    const answers = [];
    for (let i = 0; i < 41; i++) answers.push(await ask(one.publicKey));
    expect(admittedOf(answers)).toBe(40);
    expect(await redis.llen(key)).toBe(100);
  });

  test('a lowered limit applies at once to what was admitted under the higher one', async () => {
    const one = source({ rateLimit: { perIp: 2, perSource: 100, windowSeconds: 60 } });
    const { ask, redis } = await gateway([one]);
    await ages(redis, `feedback:{${one.publicKey}}:ingest:ip:${CLIENT}`, 1_000, 10_000, 30_000, 50_000);
    const { retryMs } = await ask(one.publicKey);
    // The second newest has to age, not the oldest.
    expect(retryMs).toBeGreaterThan(49_000);
    expect(retryMs).toBeLessThanOrEqual(50_000);
  });

  test('a request that the source’s window refuses does not count against the client', async () => {
    const one = source({ rateLimit: { perIp: 5, perSource: 1, windowSeconds: 60 } });
    const { ask, redis } = await gateway([one]);
    await ask(one.publicKey, 'first');
    for (let i = 0; i < 3; i++) expect((await ask(one.publicKey, 'second')).retryMs).toBeGreaterThan(0);
    expect(await redis.llen(`feedback:{${one.publicKey}}:ingest:ip:second`)).toBe(0);
  });
});

describe('the source', () => {
  test('is looked up once for all requests that arrive together, and then served from Redis to every gateway', async () => {
    const one = source({ allowedDomains: ['example.com'] });
    const [a, b] = await Promise.all([gateway([one]), gateway([one])]);
    const answers = await Promise.all(Array.from({ length: 10 }, () => a.ask(one.publicKey)));
    expect(answers.map((answer) => answer.source?.id)).toEqual(Array(10).fill(one.id));
    expect((await b.ask(one.publicKey)).source).toMatchObject(one);
    expect([a.lookedUp.length, b.lookedUp.length]).toEqual([1, 0]);
  });

  test('is cached for under two seconds, so that a change takes effect within them; so is its absence', async () => {
    const [known, unknown] = [source(), source()];
    const { ask, redis } = await gateway([known]);
    for (const { publicKey } of [known, unknown]) {
      await ask(publicKey);
      const leftMs = await redis.pttl(`feedback:{${publicKey}}:source`);
      expect(leftMs).toBeGreaterThan(0);
      expect(leftMs).toBeLessThanOrEqual(1_500);
    }
  });

  test('is looked up again once it has left the cache', async () => {
    const one = source();
    const { ask, redis, found } = await gateway([one]);
    await ask(one.publicKey);
    found.set(one.publicKey, { ...one, requireCaptcha: true });
    await redis.del(`feedback:{${one.publicKey}}:source`);
    expect((await ask(one.publicKey)).source?.requireCaptcha).toBe(true);
  });

  test('that cannot be looked up is reported as such, and the next request asks again', async () => {
    const one = source();
    const { redis } = await gateway([]);
    let away = true;
    const admissions = new Admissions({
      redis,
      limits: LIMITS,
      log,
      lookUp: async () => {
        if (away) throw new OperationError('UNAVAILABLE', 'The feedback service is unavailable.');
        return one;
      },
    });
    await expect(admissions.admit('ingest', one.publicKey, CLIENT, 'r')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    away = false;
    expect((await admissions.admit('ingest', one.publicKey, CLIENT, 'r')).source?.id).toBe(one.id);
  });

  test('made-up public keys are looked up a limited number of times per client', async () => {
    const { ask, lookedUp } = await gateway([]);
    const answers = await Promise.all(Array.from({ length: 1_300 }, () => ask(source().publicKey, 'curious')));
    expect(lookedUp.length).toBe(1_200);
    expect(admittedOf(answers)).toBe(1_200);
    expect((await ask(source().publicKey, 'another')).retryMs).toBe(0);
  });

  test('a client that has used up its lookups is refused alone, not others that ask for the same source', async () => {
    const one = source();
    const { ask } = await gateway([one]);
    await Promise.all(Array.from({ length: 1_200 }, () => ask(source().publicKey, 'curious')));
    const [curious, visitor] = await Promise.all([ask(one.publicKey, 'curious'), ask(one.publicKey, 'visitor')]);
    expect(curious.retryMs).toBeGreaterThan(0);
    expect([visitor.retryMs, visitor.source?.id]).toEqual([0, one.id]);
  });
});

describe('without Redis', () => {
  const sockets = new Set<Socket>();
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
  });

  /** A server that accepts connections and never answers, like a frozen Redis. */
  async function frozenServer() {
    const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
  }

  test.each(['away', 'frozen'])('%s: one gateway counts exactly by itself, and looks a source up once', async (how) => {
    const frozen = await frozenServer();
    if (how === 'away') frozen.close();
    const one = source({ rateLimit: { perIp: 4, perSource: 6, windowSeconds: 60 } });
    const { ask, lookedUp } = await gateway([one], frozen.url);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => ask(one.publicKey, `c${i % 2}`)));
    expect(admittedOf(answers)).toBe(6);
    expect(answers.every((answer) => answer.source?.id === one.id)).toBe(true);
    expect(lookedUp).toEqual([one.publicKey]);
    if (how === 'frozen') frozen.close();
  });
});
