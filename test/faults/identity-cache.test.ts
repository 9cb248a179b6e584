import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { Identity } from '@worktrack/contracts/keys/identity';
import { prefixOf } from '@worktrack/contracts/keys/key-format';
import { createLog } from '@worktrack/runtime/process/logging';
import { connectRedis, type Redis } from '@worktrack/runtime/redis/connection';
import {
  ENTRY_TTL_MS,
  identityCache,
  identityInvalidation,
  type Verified,
} from '@worktrack/runtime/redis/identity-cache';
import { findRedis, redisKind } from '@worktrack/stack/servers/redis';
import { type OwnServer, startServer } from '@worktrack/stack/servers/server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const log = createLog('test', 'silent');
const PASSWORD = 'a-password-of-this-test';
const dataDir = mkdtempSync(join(tmpdir(), 'worktrack-identity-cache-'));
let server: OwnServer;
let clients: Redis[] = [];

beforeAll(async () => {
  const program = findRedis();
  if (!program) throw new Error('There is no redis-server; `npm test` installs it.');
  server = await startServer(redisKind(program, join(dataDir, 'redis'), join(dataDir, 'redis.log'), PASSWORD));
});
afterEach(() => {
  for (const client of clients) client.disconnect();
  clients = [];
});
afterAll(async () => {
  await server.part.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A key as the keys service stores it: what a lookup that begins now would read. */
class StoredKey {
  readonly key = `wt_${crypto.randomUUID().replaceAll('-', '')}0000`;
  readonly prefix = prefixOf(this.key);
  readonly digest = hash('sha256', this.key);
  readonly identity: Identity = {
    user: { id: 'user', name: 'Ada', email: 'ada@example.com', role: 'owner' },
    organization: { id: 'organization', name: 'Example' },
    permissions: ['work-items:read'],
    projects: null,
    key: { id: 'key', name: 'CI', prefix: this.prefix },
  };
  revoked = false;
  expiresAt: string | null = null;
  rateLimit = { requests: 0, windowSeconds: 60 };
  reads = 0;

  async read(): Promise<Verified | null> {
    this.reads++;
    const { identity, expiresAt, rateLimit } = this;
    return this.revoked ? null : { identity, expiresAt, rateLimit };
  }
}

async function connected(url = server.url): Promise<Redis> {
  const client = connectRedis(url, log);
  clients.push(client);
  if (client.status !== 'ready') await new Promise((resolve) => client.once('ready', resolve));
  return client;
}

/** A gateway that knows which server it is talking to, as one does after its first request. */
async function gateway() {
  const redis = await connected();
  const cache = identityCache(redis);
  const other = new StoredKey();
  await cache.lookUp(other.prefix, other.digest, () => other.read());
  await redis.ping();
  return {
    redis,
    lookUp: async (key: StoredKey, read: () => Promise<Verified | null> = () => key.read()) =>
      (await cache.lookUp(key.prefix, key.digest, read))?.identity ?? null,
    rate: async (key: StoredKey) => (await cache.lookUp(key.prefix, key.digest, () => key.read()))?.rate,
    /** Commands on one connection run in order: after this, a fill that was sent has run. */
    settled: () => redis.ping(),
    /** A lookup that has read the store, and whose answer is on its way until `arrive` is called. */
    slowLookUp(key: StoredKey) {
      const read = Promise.withResolvers<void>();
      const answer = Promise.withResolvers<void>();
      const done = cache.lookUp(key.prefix, key.digest, async () => {
        const verified = await key.read();
        read.resolve();
        await answer.promise;
        return verified;
      });
      const arrive = async () => {
        answer.resolve();
        return (await done)?.identity ?? null;
      };
      return { read: read.promise, arrive };
    },
  };
}

async function keysService() {
  const redis = await connected();
  const invalidate = identityInvalidation(redis);
  return {
    redis,
    /** As keys.revoke: stored, made known, answered. */
    async revoke(key: StoredKey) {
      key.revoked = true;
      await invalidate([key.prefix]);
    },
    /** As users.update for a user who was disabled. */
    async restore(key: StoredKey) {
      key.revoked = false;
      await invalidate([key.prefix]);
    },
  };
}

async function storedNames(redis: Redis, key: StoredKey): Promise<string[]> {
  return redis.keys(`*${key.prefix}`);
}

describe('a verified key', () => {
  it('is read from the store once, and then found by every gateway with one command', async () => {
    const [a, b] = [await gateway(), await gateway()];
    const key = new StoredKey();
    expect(await a.lookUp(key)).toEqual(key.identity);
    await a.settled();

    const commands = async () => {
      const stats = await a.redis.info('commandstats');
      const calls = [...stats.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)].filter(([, name]) => name !== 'info');
      return Object.fromEntries(calls.map(([, name, count]) => [name, Number(count)]));
    };
    const before = await commands();
    expect(await b.lookUp(key)).toEqual(key.identity);
    expect(await a.lookUp(key)).toEqual(key.identity);
    // Each lookup is one script call, which is where Redis counts its GET.
    expect(await commands()).toEqual({ ...before, eval: (before.eval ?? 0) + 2, get: (before.get ?? 0) + 2 });
    expect(key.reads).toBe(1);
  });

  it('has its requests counted across all gateways, each once, and nobody who knows only its beginning is counted', async () => {
    const gateways = [await gateway(), await gateway()];
    const key = new StoredKey();
    key.rateLimit = { requests: 100, windowSeconds: 60 };
    const forged = Object.assign(new StoredKey(), { prefix: key.prefix, rateLimit: key.rateLimit });
    const rates = await Promise.all(Array.from({ length: 250 }, (_, number) => gateways[number % 2]?.rate(key)));
    expect(rates.map((rate) => rate?.count).toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 250 }, (_, number) => number + 1),
    );
    for (const rate of rates) {
      expect(rate).toMatchObject({ limit: 100, windowMs: 60_000 });
      expect(rate?.resetMs).toBeGreaterThan(0);
      expect(rate?.resetMs).toBeLessThanOrEqual(60_000);
    }
    expect(await gateways[0]?.lookUp(forged)).toBeNull();
    expect((await gateways[1]?.rate(key))?.count).toBe(251);
    // Without Redis each gateway counts on its own.
    gateways[0]?.redis.disconnect();
    expect((await gateways[0]?.rate(key))?.count).toBe(1);
    expect((await gateways[0]?.rate(key))?.count).toBe(2);
    expect((await gateways[1]?.rate(key))?.count).toBe(252);
  });

  it('is never stored in Redis, and neither is anything from which it can be computed', async () => {
    const a = await gateway();
    const key = new StoredKey();
    await a.lookUp(key);
    await a.settled();
    const [name] = await storedNames(a.redis, key);
    const stored = `${name} ${await a.redis.get(name as string)}`;
    expect(stored).toContain(key.digest);
    expect(stored).not.toContain(key.key.slice(key.prefix.length));
  });

  it('does not let in another secret with its prefix, and does not ask the store for it again', async () => {
    const a = await gateway();
    const key = new StoredKey();
    await a.lookUp(key);
    await a.settled();
    const forged = Object.assign(new StoredKey(), { prefix: key.prefix });
    expect(await a.lookUp(forged)).toBeNull();
    expect(forged.reads).toBe(0);
    expect(await a.lookUp(key)).toEqual(key.identity);
  });

  it('is kept although a guess with its prefix is looked up at the same time', async () => {
    const [a, b] = [await gateway(), await gateway()];
    const key = new StoredKey();
    const guess = a.slowLookUp(Object.assign(new StoredKey(), { prefix: key.prefix, revoked: true }));
    await guess.read;
    await b.lookUp(key);
    await b.settled();
    expect(await guess.arrive()).toBeNull();
    await a.settled();
    await a.lookUp(key);
    expect(key.reads).toBe(1);
  });

  it('is kept by the first of many lookups in progress', async () => {
    const [a, b] = [await gateway(), await gateway()];
    const key = new StoredKey();
    const first = a.slowLookUp(key);
    await first.read;
    const second = b.slowLookUp(key);
    await second.read;
    expect(await second.arrive()).toEqual(key.identity);
    await b.settled();
    expect(await b.lookUp(key)).toEqual(key.identity);
    expect(await first.arrive()).toEqual(key.identity);
    expect(key.reads).toBe(2);
  });

  it('is not accepted past its expiry, and its entry ends with it', async () => {
    const a = await gateway();
    const key = new StoredKey();
    key.expiresAt = new Date(Date.now() + ENTRY_TTL_MS / 2).toISOString();
    await a.lookUp(key);
    await a.settled();
    const [name] = await storedNames(a.redis, key);
    expect(await a.redis.pttl(name as string)).toBeLessThanOrEqual(ENTRY_TTL_MS / 2);

    key.expiresAt = new Date(Date.now() - 1).toISOString();
    await a.redis.del(name as string);
    expect(await a.lookUp(key)).toBeNull();
    // An entry that outlived its expiry, because Redis goes by its own clock.
    await a.redis.set(name as string, JSON.stringify({ version: 1, digest: key.digest, ...(await key.read()) }));
    expect(await a.lookUp(key)).toBeNull();
  });
});

describe('a revoked key is refused from the moment the revocation is answered', () => {
  it('when it was cached', async () => {
    const [a, b, keys] = [await gateway(), await gateway(), await keysService()];
    const key = new StoredKey();
    await a.lookUp(key);
    await a.settled();
    await keys.revoke(key);
    expect(await a.lookUp(key)).toBeNull();
    expect(await b.lookUp(key)).toBeNull();
  });

  it('when a lookup had read the store before, and its answer comes afterwards', async () => {
    const [a, b, keys] = [await gateway(), await gateway(), await keysService()];
    const key = new StoredKey();
    const slow = a.slowLookUp(key);
    await slow.read;
    await keys.revoke(key);
    // This request began before the revocation was answered.
    expect(await slow.arrive()).toEqual(key.identity);
    await a.settled();
    expect(await a.lookUp(key)).toBeNull();
    expect(await b.lookUp(key)).toBeNull();
  });

  it('when another lookup has begun since, whose token the late one does not have', async () => {
    const [a, b, keys] = [await gateway(), await gateway(), await keysService()];
    const key = new StoredKey();
    const late = a.slowLookUp(key);
    await late.read;
    await keys.revoke(key);
    const current = b.slowLookUp(key);
    await current.read;
    await late.arrive();
    await a.settled();
    expect(await current.arrive()).toBeNull();
    expect(await b.lookUp(key)).toBeNull();
  });

  it('when the token of a slow lookup has expired or was evicted meanwhile', async () => {
    const [a, b, keys] = [await gateway(), await gateway(), await keysService()];
    const key = new StoredKey();
    const frozen = a.slowLookUp(key);
    await frozen.read;
    await b.redis.del(await storedNames(b.redis, key));
    await keys.revoke(key);
    await frozen.arrive();
    await a.settled();
    expect(await b.lookUp(key)).toBeNull();
  });

  it('when Redis restarts empty while a lookup is in progress', async () => {
    const [a, b, keys] = [await gateway(), await gateway(), await keysService()];
    const key = new StoredKey();
    const slow = a.slowLookUp(key);
    await slow.read;
    await keys.revoke(key);
    await restartRedis([a.redis, b.redis, keys.redis]);
    await slow.arrive();
    await a.settled();
    expect(await a.lookUp(key)).toBeNull();
    expect(await b.lookUp(key)).toBeNull();
  });

  it('when Redis restarts from a snapshot that is older than the revocation', async () => {
    const [a, b, keys] = [await gateway(), await gateway(), await keysService()];
    const key = new StoredKey();
    await a.lookUp(key);
    await a.settled();
    await keys.redis.save();
    await keys.revoke(key);
    await restartRedis([a.redis, b.redis, keys.redis]);
    const [restored] = await storedNames(a.redis, key);
    expect(await a.redis.get(restored as string)).toContain(key.digest);

    // Whether or not a gateway knows by now which server it is talking to.
    for (let i = 0; i < 3; i++) {
      expect(await a.lookUp(key)).toBeNull();
      expect(await b.lookUp(key)).toBeNull();
      await turn();
    }
    await a.redis.flushall();
    await a.redis.save();
  });

  it('when a replica takes over, and soon the first server again, which has not been restarted', async () => {
    const [a, keys] = [await gateway(), await keysService()];
    const program = findRedis() as string;
    const kind = redisKind(program, join(dataDir, 'replica'), join(dataDir, 'replica.log'), PASSWORD);
    const other = await startServer(kind);
    const admin = { first: await connected(), second: await connected(other.url) };
    const follow = async (replica: Redis, primary: Redis) => {
      await replica.config('SET', 'masterauth', PASSWORD);
      await primary.call('REPLICAOF', 'NO', 'ONE');
      await replica.call('REPLICAOF', '127.0.0.1', `${primary.options.port}`);
      await expect.poll(() => replica.info('replication'), { timeout: 20_000 }).toContain('master_link_status:up');
    };
    /** As behind one address: the next connection leads to the new primary. */
    const moveTo = async ({ options }: Redis, ...moved: Redis[]) => {
      for (const redis of moved) {
        redis.options.port = options.port as number;
        const isBack = new Promise((resolve) => redis.once('ready', resolve));
        redis.disconnect(true);
        await isBack;
      }
    };
    try {
      const key = new StoredKey();
      await follow(admin.second, admin.first);
      await a.lookUp(key);
      await a.settled();
      await Promise.all([a.redis.call('WAIT', 1, 0), keys.redis.ping()]);
      await follow(admin.first, admin.second);
      await moveTo(admin.second, a.redis, keys.redis);
      await keys.revoke(key);
      // An orderly failover: what is not replicated yet would be undone.
      await keys.redis.call('WAIT', 1, 0);
      await follow(admin.second, admin.first);
      await moveTo(admin.first, a.redis, keys.redis);
      expect(await a.lookUp(key)).toBeNull();
    } finally {
      await admin.first.call('REPLICAOF', 'NO', 'ONE');
      await other.part.kill();
    }
  });

  it('for any timing of many lookups by several gateways', async () => {
    const gateways = [await gateway(), await gateway(), await gateway()];
    const keys = await keysService();
    const wrong: string[] = [];
    let accepted = 0;
    let refused = 0;

    async function someTurns(): Promise<void> {
      for (let turns = Math.floor(Math.random() * 6); turns > 0; turns--) await turn();
    }
    async function oneKey(number: number): Promise<void> {
      const key = new StoredKey();
      const firstAccepted = Promise.withResolvers<void>();
      let answered = false;
      const requests = gateways.map(async ({ lookUp }) => {
        for (let afterwards = 0; afterwards < 4; ) {
          const beganAfter = answered;
          if (beganAfter) afterwards++;
          const identity = await lookUp(key, async () => {
            await someTurns();
            const verified = await key.read();
            await someTurns();
            return verified;
          });
          if (identity) accepted++;
          else refused++;
          if (identity) firstAccepted.resolve();
          if (beganAfter && identity) wrong.push(key.prefix);
          await someTurns();
        }
      });
      // Half of them at any time; if Redis is slow that is before the first answer, so the others are known to be in use.
      if (number % 2) await firstAccepted.promise;
      for (let turns = Math.floor(Math.random() * 30); turns > 0; turns--) await turn();
      await revokeUntilAnswered(key);
      answered = true;
      await Promise.all(requests);
    }
    /** On a machine so busy that Redis's answer is late, the revocation is UNAVAILABLE, and is repeated as its caller is told to do. */
    async function revokeUntilAnswered(key: StoredKey): Promise<void> {
      for (;;) {
        try {
          return await keys.revoke(key);
        } catch (error) {
          if ((error as { code?: unknown }).code !== 'UNAVAILABLE') throw error;
        }
      }
    }
    await Promise.all(Array.from({ length: 200 }, (_, number) => oneKey(number)));
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThanOrEqual(200 * 3 * 4);
    expect(accepted).toBeGreaterThanOrEqual(100);
  });
});

describe('a refused key', () => {
  it('is remembered by every gateway, and accepted from the moment the change that makes it valid is answered', async () => {
    const [a, b, keys] = [await gateway(), await gateway(), await keysService()];
    const key = new StoredKey();
    key.revoked = true;
    for (const { lookUp } of [a, a, b, b]) expect(await lookUp(key)).toBeNull();
    expect(key.reads).toBe(1);
    await keys.restore(key);
    for (const { lookUp } of [b, a]) expect(await lookUp(key)).toEqual(key.identity);
  });

  it('is not remembered by a lookup that had read the store before that change', async () => {
    const [a, b, keys] = [await gateway(), await gateway(), await keysService()];
    const key = new StoredKey();
    key.revoked = true;
    const late = a.slowLookUp(key);
    await late.read;
    await keys.restore(key);
    expect(await late.arrive()).toBeNull();
    expect(await b.lookUp(key)).toEqual(key.identity);
  });

  it('does not keep the one that belongs to its prefix out of the cache, and few are remembered for it', async () => {
    const [a, b] = [await gateway(), await gateway()];
    const key = new StoredKey();
    for (let number = 0; number < 50; number++) {
      expect(await a.lookUp(Object.assign(new StoredKey(), { prefix: key.prefix, revoked: true }))).toBeNull();
    }
    expect(await b.lookUp(key)).toEqual(key.identity);
    await b.settled();
    expect(await a.lookUp(key)).toEqual(key.identity);
    expect(key.reads).toBe(1);
    const [name] = await a.redis.keys(`wt:refused:*${key.prefix}}`);
    expect(await a.redis.scard(name as string)).toBe(16);
    expect(await a.redis.pttl(name as string)).toBeGreaterThan(0);
  });
});

describe('while Redis is unavailable', () => {
  it('keys are verified by the store, and a revocation is not answered until it is through', async () => {
    const [a, keys] = [await gateway(), await keysService()];
    const key = new StoredKey();
    await server.part.kill();
    expect(await a.lookUp(key)).toEqual(key.identity);
    await expect(keys.revoke(key)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await a.lookUp(key)).toBeNull();

    const back = [a.redis, keys.redis].map((redis) => new Promise((resolve) => redis.once('ready', resolve)));
    await server.part.restart();
    await Promise.all(back);
    await keys.revoke(key);
    expect(await a.lookUp(key)).toBeNull();
  });

  it('or frozen, keys are verified by the store, and a revocation is not answered until it is through', async () => {
    const [a, keys] = [await gateway(), await keysService()];
    const key = new StoredKey();
    await a.lookUp(key);
    await a.settled();
    await server.part.kill('SIGSTOP');
    try {
      expect(await a.lookUp(key)).toEqual(key.identity);
      await expect(keys.revoke(key)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await a.lookUp(key)).toBeNull();
    } finally {
      await server.part.kill('SIGCONT');
    }
    await keys.revoke(key);
    expect(await a.lookUp(key)).toBeNull();
  });
});

async function restartRedis(watched: readonly Redis[]): Promise<void> {
  const back = watched.map((redis) => new Promise((resolve) => redis.once('ready', resolve)));
  await server.part.kill();
  await server.part.restart();
  await Promise.all(back);
}
