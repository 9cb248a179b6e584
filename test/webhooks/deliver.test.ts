import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Delivery, Webhook as WebhookRecord } from '@worktrack/contracts/events/webhook';
import { MAX_WEBHOOKS } from '@worktrack/contracts/events/webhooks';
import { ROLE_PERMISSIONS } from '@worktrack/contracts/permissions';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { Endpoint } from '../support/webhook-endpoint.ts';

type Created = WebhookRecord & { readonly secret: string | null };

let system: System;
let organization: TestOrganization;
const endpoints: Endpoint[] = [];
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});
afterEach(async () => {
  const { data } = await organization.call<WebhookRecord[]>('GET', '/api/webhooks');
  for (const { id } of data) await organization.call('DELETE', `/api/webhooks/${id}`);
  for (const endpoint of endpoints.splice(0)) await endpoint.stop();
});

async function endpoint(...answer: Parameters<typeof Endpoint.start>): Promise<Endpoint> {
  const started = await Endpoint.start(...answer);
  endpoints.push(started);
  return started;
}

async function logged(query: string): Promise<readonly LoggedEvent[]> {
  const { data } = await organization.call<{ events: readonly LoggedEvent[] }>('GET', `/api/events?after=0&${query}`);
  return data.events;
}

test('what is done over REST is sent as it is in the log, signed with the secret that was shown', async () => {
  const { call, boardId, columns } = organization;
  const at = await endpoint();
  const { data: webhook, status } = await call<Created>('POST', '/api/webhooks', {
    url: at.url,
    types: ['work_item.*'],
  });
  expect(status).toBe(201);
  const { data: item } = await call<{ id: string }>('POST', '/api/work-items', {
    title: 'Sent',
    type: 'task',
    boardId,
    boardColumnId: columns.Backlog,
  });
  await call('POST', `/api/work-items/${item.id}/comments`, { text: 'Sent too' });
  await call('POST', `/api/work-items/${item.id}/move`, { boardColumnId: columns['To Do'] });
  const ofItem = () => logged(`workItemId=${item.id}`);
  const told = ['work_item.created', 'work_item.commented', 'work_item.moved', 'work_item.ready'];
  await expect.poll(async () => (await ofItem()).map(({ type }) => type)).toEqual(expect.arrayContaining(told));
  const events = await ofItem();
  await expect.poll(() => at.received.length).toBeGreaterThanOrEqual(events.length);
  const verifier = new Webhook(webhook.secret ?? '');
  const verified = at.received.map(({ body, headers }) =>
    verifier.verify(body, headers as Record<string, string>),
  ) as LoggedEvent[];
  expect(verified.filter(({ subject }) => subject.id === item.id)).toEqual(events);
  await expect
    .poll(async () => {
      const { data } = await call<{ items: Delivery[] }>('GET', `/api/webhooks/${webhook.id}/deliveries`);
      return data.items.map(({ seq, state }) => ({ seq, state }));
    })
    .toEqual(events.toReversed().map(({ seq }) => ({ seq, state: 'delivered' })));
});

test('a secret is shown once, even if the request is repeated', async () => {
  const create = () =>
    organization.call<Created>(
      'POST',
      '/api/webhooks',
      { url: 'https://hooks.invalid/once', enabled: false },
      { 'idempotency-key': 'once' },
    );
  const [first, second] = [await create(), await create()];
  expect(first.data.secret).toMatch(/^whsec_/);
  expect(second.data).toEqual({ ...first.data, secret: null });
  const { data: shown } = await organization.call<object>('GET', `/api/webhooks/${first.data.id}`);
  expect(shown).not.toHaveProperty('secret');
});

test('410 disables, which the log reports to those who may see webhooks', async () => {
  const { call, boardId, columns } = organization;
  const at = await endpoint(() => 410);
  const { data: webhook } = await call<Created>('POST', '/api/webhooks', { url: at.url, types: ['work_item.created'] });
  await call('POST', '/api/work-items', { title: 'Gone', type: 'task', boardId, boardColumnId: columns.Backlog });
  const told = async () =>
    (await logged('types=webhook.*')).flatMap(({ type, subject }) => (subject.id === webhook.id ? [type] : []));
  await expect.poll(told).toEqual(['webhook.created', 'webhook.disabled']);

  const { call: asMember } = await organization.newUser({}, { permissions: ROLE_PERMISSIONS.member });
  expect((await asMember('GET', '/api/webhooks')).status).toBe(403);
  const seen = await asMember<{ events: LoggedEvent[] }>('GET', '/api/events?after=0&types=webhook.*');
  expect(seen.data.events).toEqual([]);
});

test.each([
  'https://10.0.0.1/',
  'http://192.168.1.1/',
  'https://[::ffff:169.254.169.254]/latest/meta-data/',
  'https://0x7f000002/',
  'http://8.8.8.8/',
  'https://user:password@example.com/',
  'ftp://example.com/',
  'https://example.com/a\nb',
  'https://exa\tmple.com/',
  'https://example.com/\u009b2J',
])('%s is refused before anything is sent', async (url) => {
  const answer = await organization.call('POST', '/api/webhooks', { url });
  expect(answer.status).toBe(400);
  expect(answer.error.details?.map(({ path }) => path)).toEqual(['url']);
});

test('a project that does not exist is refused, for a new webhook and for a changed one', async () => {
  const { call, projectId } = organization;
  const missing = '01890000-0000-7000-8000-000000000000';
  const { projectId: stranger } = await system.newOrganization();
  const url = 'https://hooks.invalid/';
  const made = await call<Created>('POST', '/api/webhooks', { url, projectId, enabled: false });
  expect(made).toMatchObject({ status: 201, data: { projectId } });
  for (const answer of [
    await call('POST', '/api/webhooks', { url, projectId: missing }),
    await call('POST', '/api/webhooks', { url, projectId: stranger }),
    await call('PATCH', `/api/webhooks/${made.data.id}`, { projectId: missing }),
  ]) {
    expect(answer.status).toBe(400);
    expect(answer.error.details?.map(({ path }) => path)).toEqual(['projectId']);
  }
  expect((await call('PATCH', `/api/webhooks/${made.data.id}`, { projectId: null })).status).toBe(200);
});

test('an organization has at most 50 webhooks, however many are created at once', async () => {
  const create = () => organization.call('POST', '/api/webhooks', { url: 'https://hooks.invalid/', enabled: false });
  for (let made = 0; made < MAX_WEBHOOKS - 1; made++) expect((await create()).status).toBe(201);
  const answers = await Promise.all(Array.from({ length: 8 }, create));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
});
