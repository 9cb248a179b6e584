import { randomUUID } from 'node:crypto';
import { TestProxy } from '@worktrack/rpc/testing/proxy';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AppServer, approve, askToken, authorizeParameters, newVerifier, openAuthorize } from '../support/app.ts';
import { signIn } from '../support/browser-request.ts';
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

test('an app is connected, and gets its next tokens, though the answer to each step is lost', {
  timeout: 60_000,
}, async () => {
  const apps = await AppServer.start();
  onTestFinished(() => apps.stop());
  const [base, verifier, clientId] = [gateway.baseUrl, newVerifier(), apps.publish()];
  const losing = async <T>(operation: string, step: () => Promise<T>): Promise<T> => {
    const lost = network.loseAnswerTo(`"${operation}"`);
    const [answer] = await Promise.all([step(), lost]);
    return answer;
  };
  const cookie = await losing('sessions.open', () => signIn(base, { apiKey: organization.apiKey }));
  const parameters = authorizeParameters(clientId, verifier);
  const id = await losing('connections.start', () => openAuthorize(base, parameters));
  const back = await losing('grants.create', () => approve(base, cookie, id));
  const redemption = {
    ...{ grant_type: 'authorization_code', client_id: clientId, code_verifier: verifier },
    code: back.searchParams.get('code') ?? '',
    redirect_uri: parameters.get('redirect_uri') ?? '',
  };
  const { status, body } = await losing('connections.redeem', () => askToken(base, redemption));
  expect(status).toBe(200);
  const refresh = { grant_type: 'refresh_token', client_id: clientId, refresh_token: body.refresh_token };
  const next = await losing('connections.refresh', () => askToken(base, refresh));
  expect(next.status).toBe(200);
  const elsewhere = await askToken(system.baseUrl, refresh);
  expect([elsewhere.body.access_token, elsewhere.body.refresh_token]).toEqual([
    next.body.access_token,
    next.body.refresh_token,
  ]);
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
