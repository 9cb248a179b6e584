import { assembleKey } from '@worktrack/contracts/keys/key-format';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { startGateways } from '../support/system.ts';

const ALLOWED = 10;

let system: Awaited<ReturnType<typeof startGateways>>;
let organization: TestOrganization;
beforeAll(async () => {
  system = await startGateways(2, { env: { UNKNOWN_KEYS_PER_IP: String(ALLOWED), TRUST_PROXY: 'loopback' } });
  organization = await system.newOrganization();
});
afterAll(() => system?.stop());

let made = 0;
const madeUp = () => assembleKey(`${++made}`.padStart(30, '0'));

async function me(address: string, key: string, gateway = 0) {
  const response = await fetch(`${system.gateways[gateway]}/api/me`, {
    headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': address },
  });
  await response.body?.cancel();
  return { status: response.status, retryAfter: Number(response.headers.get('retry-after') ?? 0) };
}

async function newKey(): Promise<string> {
  return (await organization.call<{ key: string }>('POST', '/api/api-keys', { name: 'one more' })).data.key;
}

test('past its limit an address’s made-up keys are refused without a lookup, over all gateways, and so is what is in no cache', async () => {
  const address = '203.0.113.1';
  const statuses = await Promise.all(
    Array.from({ length: 5 * ALLOWED }, async (_, number) => (await me(address, madeUp(), number % 2)).status),
  );
  expect(statuses.filter((status) => status === 401)).toHaveLength(ALLOWED);
  expect(statuses.filter((status) => status === 429)).toHaveLength(4 * ALLOWED);
  const { status, retryAfter } = await me(address, madeUp());
  expect(status).toBe(429);
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(retryAfter).toBeLessThanOrEqual(60);
  // Whether it is valid would be an answer.
  expect((await me(address, await newKey())).status).toBe(429);
  // A key that is in use keeps working, and so does everybody else.
  await me('203.0.113.2', organization.apiKey);
  expect((await me(address, organization.apiKey)).status).toBe(200);
  expect((await me('203.0.113.2', madeUp())).status).toBe(401);
});

test('valid keys that are in no cache are not charged, and what is malformed is not counted', async () => {
  const address = '203.0.113.3';
  for (let number = 0; number < 2 * ALLOWED; number++) {
    expect((await me(address, await newKey())).status).toBe(200);
    expect((await me(address, `wt_${'x'.repeat(36)}`)).status).toBe(401);
  }
  expect((await me(address, madeUp())).status).toBe(401);
});

test('a revoked key that a program goes on with costs its address nothing: keys in no cache work, and signing in', async () => {
  const address = '203.0.113.4';
  const made = await organization.call<{ id: string; key: string }>('POST', '/api/api-keys', { name: 'forgotten' });
  expect((await me(address, made.data.key)).status).toBe(200);
  await organization.call('DELETE', `/api/api-keys/${made.data.id}`);
  for (let number = 0; number < 5 * ALLOWED; number++) {
    expect((await me(address, made.data.key, number % 2)).status).toBe(401);
  }
  expect((await me(address, await newKey())).status).toBe(200);
  const signedIn = await fetch(`${system.baseUrl}/console/session`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': address,
      origin: system.baseUrl,
      'sec-fetch-site': 'same-origin',
    },
    body: JSON.stringify({ apiKey: organization.apiKey }),
  });
  expect(signedIn.ok).toBe(true);
});

test('a key that was valid within the last day is looked up past the limit, and one whose user is enabled again at once', async () => {
  const address = '203.0.113.5';
  const user = await organization.newUser();
  const enable = (disabled: boolean) => organization.call('PATCH', `/api/users/${user.id}`, { disabled });
  expect((await me(address, user.key)).status).toBe(200);
  for (let number = 0; number <= ALLOWED; number++) await me(address, madeUp());
  expect((await me(address, madeUp())).status).toBe(429);
  // Evicted from the cache by each of these.
  await enable(true);
  expect((await me(address, user.key)).status).toBe(401);
  expect((await me(address, user.key)).status).toBe(401);
  await enable(false);
  expect((await me(address, user.key)).status).toBe(200);
  expect((await me(address, await newKey())).status).toBe(429);
});
