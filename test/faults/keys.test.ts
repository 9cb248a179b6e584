import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestIssuer } from '../support/issuer.ts';
import { type Answer, caller, type TestOrganization } from '../support/organization.ts';
import { startSystem } from '../support/system.ts';
import { loggedAbout } from './logged.ts';

let system: Awaited<ReturnType<typeof startSystem>>;
let org: TestOrganization;
beforeAll(async () => {
  system = await startSystem({ replicas: { gateway: 2, keys: 2 }, ownServers: ['redis'] });
  org = await system.newOrganization();
});
afterAll(() => system?.stop());

interface Made {
  readonly id: string;
  readonly key: string;
}

/** A key that every gateway has cached. */
async function cachedKey(): Promise<Made> {
  const { data } = await org.call<Made>('POST', '/api/api-keys', { name: 'CI' });
  expect(await statuses(data.key)).toEqual([200, 200]);
  return data;
}

/** What each gateway answers to a request with the key. */
async function statuses(key: string): Promise<number[]> {
  return Promise.all(system.gateways.map(async (gateway) => (await caller(gateway, key)('GET', '/api/me')).status));
}

/** What a gateway says of its connection. */
async function redisAt(gateway: string): Promise<string | undefined> {
  const { needs } = (await (await fetch(`${gateway}/health/ready`)).json()) as { needs: Record<string, string> };
  return needs.redis;
}

function revoke(id: string, idempotencyKey: string, gateway = 0): Promise<Answer> {
  const call = caller(system.gateways[gateway] as string, org.apiKey);
  return call('DELETE', `/api/api-keys/${id}`, undefined, { 'idempotency-key': idempotencyKey });
}

/** As a client that does what it is told: again, with the same idempotency key, until it is done. */
async function revokeUntilDone(id: string): Promise<void> {
  const idempotencyKey = randomUUID();
  for (let attempt = 0; ; attempt++) {
    const { status, headers } = await revoke(id, idempotencyKey, attempt % 2);
    if (status === 200) return;
    if (status === 503) {
      const retryAfterSeconds = Number(headers.get('retry-after'));
      expect(retryAfterSeconds).toBeGreaterThan(0);
      await delay(retryAfterSeconds * 1_000);
    } else if (status !== 504) {
      const why = loggedAbout(headers.get('x-request-id') ?? 'no request id', system.folder);
      expect.fail([`It is answered ${status}.`, ...why].join('\n'));
    }
  }
}

describe('while Redis is unavailable', () => {
  test('keys keep working, and a revocation is not answered before it holds; repeating it completes it', async () => {
    const redis = system.servers?.redis.part;
    const made = await cachedKey();
    const other = await cachedKey();
    await redis?.kill();
    expect(await statuses(made.key)).toEqual([200, 200]);
    const idempotencyKey = randomUUID();
    const refused = await revoke(made.id, idempotencyKey);
    expect([refused.status, refused.error.code]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // It is stored, and without a cache everybody asks the store.
    expect(await statuses(made.key)).toEqual([401, 401]);
    expect((await revoke(made.id, idempotencyKey)).status).toBe(503);

    await redis?.restart();
    await expect.poll(async () => (await revoke(made.id, idempotencyKey)).status).toBe(200);
    expect(await statuses(made.key)).toEqual([401, 401]);
    expect(await statuses(other.key)).toEqual([200, 200]);
  });

  test('frozen, the same holds; and what was cached before it froze is not believed once revoked', async () => {
    const redis = system.servers?.redis.part;
    const made = await cachedKey();
    await redis?.kill('SIGSTOP');
    try {
      expect(await statuses(made.key)).toEqual([200, 200]);
      expect((await revoke(made.id, randomUUID())).status).toBe(503);
      expect(await statuses(made.key)).toEqual([401, 401]);
    } finally {
      await redis?.kill('SIGCONT');
    }
    await revokeUntilDone(made.id);
    expect(await statuses(made.key)).toEqual([401, 401]);
  });

  test('one JWT gives one token, over 200 connections and two gateways, and all others are refused in time and shown', async () => {
    const issuer = await TestIssuer.start();
    const redis = system.servers?.redis.part;
    try {
      const claims = { project: '42', branch: 'main' };
      const { data: rule } = await org.call<{ id: string; audience: string }>('POST', '/api/trust-rules', {
        ...{ name: 'CI', issuer: issuer.url, claims, permissions: ['work-items:read'] },
      });
      await redis?.kill();
      const assertion = issuer.jwt({ ...claims, aud: rule.audience });
      const body = `grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=${assertion}`;
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const answers = await Promise.all(
        Array.from({ length: 200 }, async (_, i) => {
          const response = await fetch(`${system.gateways[i % 2]}/oauth/token`, { method: 'POST', headers, body });
          const { error } = (await response.json()) as { error?: string };
          return `${response.status} ${error ?? 'token'}`;
        }),
      );
      const counts = Object.fromEntries(
        [...new Set(answers)].map((is) => [is, answers.filter((a) => a === is).length]),
      );
      expect(counts).toEqual({ '200 token': 1, '400 invalid_grant': 199 });
      const { data: tries } = await org.call<{ claim: string }[]>('GET', `/api/trust-rules/${rule.id}/tries`);
      expect(tries.map(({ claim }) => claim)).toEqual(Array.from({ length: 100 }, () => 'jti'));
    } finally {
      await redis?.restart();
      await issuer.stop();
    }
    // They notice by themselves.
    await expect.poll(() => Promise.all(system.gateways.map(redisAt))).toEqual(['ok', 'ok']);
    await revokeUntilDone((await cachedKey()).id);
  });
});

test('while the keys service is unavailable, cached keys keep working, others get an error at once, and no last use is lost', async () => {
  const made = await cachedKey();
  const replicas = system.services.of('keys');
  const { data: uncached } = await org.call<Made>('POST', '/api/api-keys', { name: 'CI' });
  await Promise.all(replicas.map(({ part }) => part.kill()));
  const usedAfterMs = Date.now();
  expect(await statuses(made.key)).toEqual([200, 200]);
  const refused = await caller(system.baseUrl, uncached.key)('GET', '/api/me');
  expect([refused.status, refused.error.code]).toEqual([503, 'UNAVAILABLE']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);

  await Promise.all(replicas.map(({ part }) => part.restart()));
  const lastUsedAt = async () => {
    const { data } = await org.call<{ id: string; lastUsedAt: string | null }[]>('GET', '/api/api-keys');
    return Date.parse(data.find(({ id }) => id === made.id)?.lastUsedAt ?? '');
  };
  await expect.poll(lastUsedAt).toBeGreaterThanOrEqual(usedAfterMs);
  expect(await statuses(uncached.key)).toEqual([200, 200]);
});

test('a revocation that is answered holds although keys services are killed while they revoke', async () => {
  const wrong: string[] = [];
  const replicas = system.services.of('keys');
  for (let round = 0; round < 4; round++) {
    const victim = replicas[round % 2]?.part;
    const made = await Promise.all(Array.from({ length: 8 }, cachedKey));
    const revocations = made.map(async ({ id, key }) => {
      await revokeUntilDone(id);
      const found = await statuses(key);
      if (found.some((status) => status !== 401)) wrong.push(`${id}: ${found}`);
    });
    await victim?.kill();
    await Promise.all(revocations);
    await victim?.restart();
  }
  expect(wrong).toEqual([]);
});
