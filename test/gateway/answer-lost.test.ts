import { randomUUID } from 'node:crypto';
import { TestProxy } from '@worktrack/rpc/testing/proxy';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caller, type TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem, startGateways } from '../support/system.ts';

let system: System;
let network: TestProxy;
/** Reaches the broker through that network. */
let gateway: Awaited<ReturnType<typeof startGateways>>;
let organization: TestOrganization;
let call: TestOrganization['call'];
beforeAll(async () => {
  system = await sharedSystem();
  network = await TestProxy.to(system.rabbitmqUrl);
  gateway = await startGateways(1, { rabbitmqUrl: network.url });
  organization = await system.newOrganization();
  call = caller(gateway.baseUrl, organization.apiKey);
});
afterAll(async () => {
  await gateway?.stop();
  await network?.close();
});

type Made = Readonly<Record<'id' | 'key' | 'code' | 'secret', string>>;

async function made(path: string, body: unknown): Promise<Made> {
  return (await organization.call<Made>('POST', path, body)).data;
}
const newUser = () => made('/api/users', { email: `${randomUUID()}@example.com`, name: 'Grace', role: 'member' });
const WEBHOOK = { url: 'https://hooks.invalid/answer-lost' };

describe('what is shown once, when the service’s answer is lost and the gateway asks again', () => {
  test.each<[operation: string, shown: keyof Made, path: () => Promise<string>, body: unknown]>([
    ['keys.create', 'key', async () => '/api/api-keys', { name: 'CI' }],
    ['keys.rotate', 'key', async () => `/api/api-keys/${(await made('/api/api-keys', { name: 'Old' })).id}/rotate`, {}],
    ['sessions.createCode', 'code', async () => '/api/login-codes', {}],
    ['users.invite', 'code', async () => `/api/users/${(await newUser()).id}/invitation`, {}],
    ['webhooks.create', 'secret', async () => '/api/webhooks', WEBHOOK],
    ['webhooks.rotate', 'secret', async () => `/api/webhooks/${(await made('/api/webhooks', WEBHOOK)).id}/rotate`, {}],
  ])('%s: is in the answer, and not in a repetition', async (operation, shown, pathOf, body) => {
    const path = await pathOf();
    const post = () => call<Record<string, unknown>>('POST', path, body, { 'idempotency-key': operation });
    const lost = network.loseAnswerTo(`"${operation}"`);
    const [first] = await Promise.all([post(), lost]);
    expect(first.status).toBe(201);
    expect(first.data[shown]).toEqual(expect.stringMatching(/^w/));
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    if (operation === 'users.invite') expect(first.data.mail).not.toBeNull();
    const second = await post();
    expect(second.data[shown]).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });
});

test('a webhook is ended whose key was revoked while its answer was lost, as any that is made in that moment', async () => {
  const { id, key } = await made('/api/api-keys', { name: 'Leaked' });
  const lost = network.loseAnswerTo('"webhooks.create"').then(() => network.cut({ stayDown: true }));
  const creation = caller(gateway.baseUrl, key)('POST', '/api/webhooks', WEBHOOK);
  await lost;
  const before = (await organization.call<Made[]>('GET', '/api/webhooks')).data;
  expect((await organization.call('DELETE', `/api/api-keys/${id}`)).status).toBe(200);
  network.restore();
  expect(await creation).toMatchObject({ status: 403, error: { message: expect.stringContaining('lost rights') } });
  const after = (await organization.call<Made[]>('GET', '/api/webhooks')).data;
  expect(before).toHaveLength(after.length + 1);
});
