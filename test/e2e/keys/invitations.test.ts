import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { ownPage, rawRequest, signIn } from '../../support/browser-request.ts';
import { caller, type TestOrganization } from '../../support/organization.ts';
import { type System, sharedSystem } from '../../support/system.ts';
import { callTool } from '../../support/tool-call.ts';

let system: System;
beforeAll(async () => {
  system = await sharedSystem();
});

interface Made {
  readonly userId: string;
  readonly code: string;
  readonly expiresAt: string;
  readonly mail: string | null;
}
interface ForYou {
  readonly items: { readonly id: string; readonly kind: string; readonly invitation?: { readonly state: string } }[];
  readonly counts: Record<string, number>;
  readonly nextCursor: string | null;
}

async function newUser({ call }: TestOrganization, name = 'Grace') {
  const body = { email: `${randomUUID()}@example.com`, name, role: 'member' };
  return (await call<{ id: string; email: string }>('POST', '/api/users', body)).data;
}

const forYou = async (call: TestOrganization['call'], query = '') =>
  (await call<ForYou>('GET', `/api/for-you${query}`)).data;

/** As the page does. */
function open(code: string) {
  const { baseUrl } = system;
  const headers = { ...ownPage(baseUrl), 'content-type': 'application/json' };
  return rawRequest(`${baseUrl}/console/session`, 'POST', headers, JSON.stringify({ code }));
}

describe('POST /api/users/:userId/invitation', () => {
  test('201: a link that signs in once, with what became of the mail; 200 for its withdrawal, and then it says so', async () => {
    const organization = await system.newOrganization();
    const { id } = await newUser(organization);
    const path = `/api/users/${id}/invitation`;
    const { status, data } = await organization.call<Made>('POST', path, { language: 'de' });
    // The mail server of the tests takes no connections.
    expect({ status, data }).toMatchObject({ status: 201, data: { userId: id, mail: 'failed' } });
    expect(await signIn(system.baseUrl, { code: data.code })).toContain('wts_');
    const again = (await organization.call<Made>('POST', path)).data;
    const withdrawn = await organization.call<object>('DELETE', path);
    expect(withdrawn).toMatchObject({ status: 200, data: { userId: id } });
    const answer = await open(again.code);
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'API_KEY_INVALID' } } });
    expect(JSON.parse(answer.text).error.details).toEqual([{ path: 'invitation', message: 'withdrawn' }]);
    // Nothing of the organization.
    for (const word of [id, organization.organizationId, 'Grace']) expect(answer.text).not.toContain(word);
    expect((await organization.call('DELETE', path)).status).toBe(404);
  });

  test('403 without users:write or limited to projects, 404 of another organization, 400 in an unknown language', async () => {
    const organization = await system.newOrganization();
    const { id } = await newUser(organization);
    const path = `/api/users/${id}/invitation`;
    for (const limits of [{ permissions: ['users:read'] }, { projects: [organization.projectId] }]) {
      const { data } = await organization.call<{ key: string }>('POST', '/api/api-keys', { name: 'Less', ...limits });
      const less = caller(system.baseUrl, data.key);
      for (const method of ['POST', 'DELETE']) expect((await less(method, path)).status).toBe(403);
    }
    expect((await (await system.newOrganization()).call('POST', path)).status).toBe(404);
    expect((await organization.call('POST', path, { language: 'fr' })).status).toBe(400);
  });
});

test('429 once a user was invited five times in a day, with when it goes on; what was refused or repeated does not count', async () => {
  const { call } = await system.newOrganization();
  const { data: users } = await call<{ id: string }>('POST', '/api/users', {
    ...{ email: `${randomUUID()}@example.com`, name: 'Grace', role: 'member' },
  });
  const path = `/api/users/${users.id}/invitation`;
  const once = { 'idempotency-key': randomUUID() };
  const statuses: number[] = [];
  for (let i = 0; i < 2; i++) statuses.push((await call('POST', path, undefined, once)).status);
  await call('PATCH', `/api/users/${users.id}`, { disabled: true });
  statuses.push((await call('POST', path)).status);
  await call('PATCH', `/api/users/${users.id}`, { disabled: false });
  for (let i = 0; i < 4; i++) statuses.push((await call('POST', path)).status);
  expect(statuses).toEqual([201, 201, 409, 201, 201, 201, 201]);
  const { status, headers, error } = await call('POST', path);
  expect(status).toBe(429);
  expect(error).toMatchObject({
    code: 'RATE_LIMITED',
    message: /^A user may be invited 5 times in a day\. Try again in/,
  });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(86_000);
  const replay = await call<Made>('POST', path, undefined, once);
  expect(replay).toMatchObject({ status: 201, data: { userId: users.id, code: null, mail: null } });
  expect(replay.headers.get('idempotency-replayed')).toBe('true');
  expect((await call('POST', path, { language: 'de' }, { 'idempotency-key': randomUUID() })).status).toBe(429);
});

test('sixteen repetitions at once are one invitation, and none of them is refused', async () => {
  const organization = await system.newOrganization();
  const path = `/api/users/${(await newUser(organization)).id}/invitation`;
  const once = { 'idempotency-key': randomUUID() };
  const all = Array.from({ length: 16 }, () => organization.call<Made>('POST', path, undefined, once));
  const answers = await Promise.all(all);
  expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(201));
  expect(answers.filter(({ data }) => data.code !== null)).toHaveLength(1);
  for (let i = 0; i < 4; i++) expect((await organization.call('POST', path)).status).toBe(201);
  expect((await organization.call('POST', path)).status).toBe(429);
});

describe('what needs somebody who manages users', () => {
  test('are open invitations, last of all kinds and oldest first, over REST and by tool, until they are used', async () => {
    const organization = await system.newOrganization();
    const { call, boardId, columns, userId } = organization;
    const { data: me } = await call<{ user: { name: string } }>('GET', '/api/me');
    const body = { title: 'Mine', type: 'task', boardId, boardColumnId: columns['To Do'], assignee: userId };
    await call('POST', '/api/work-items', body);
    const users = [await newUser(organization, 'Grace'), await newUser(organization, 'Edsger')];
    const codes: string[] = [];
    for (const { id } of users) codes.push((await call<Made>('POST', `/api/users/${id}/invitation`)).data.code);
    const { items, counts } = await forYou(call);
    expect(counts).toMatchObject({ assigned: 1, invitation: 2 });
    expect(items).toMatchObject([
      { kind: 'assigned' },
      ...users.map(({ id, email }) => ({
        kind: 'invitation',
        projectId: null,
        invitation: { state: 'open', user: { id, email, role: 'member' }, invitedBy: me.user.name },
      })),
    ]);
    const paged: ForYou['items'] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: ForYou = await forYou(call, `?limit=1${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(items);
    const { output } = await callTool(system.baseUrl, organization.apiKey, 'list_for_me', { kinds: ['invitation'] });
    expect((output as unknown as ForYou).items.map(({ id }) => id)).toEqual(items.slice(1).map(({ id }) => id));
    await open(codes[0] as string);
    expect((await forYou(call, '?kinds=invitation')).items).toMatchObject([
      { invitation: { user: { id: users[1]?.id } } },
    ]);
  });

  test('are none for whoever may not manage users, or is limited to projects', async () => {
    const organization = await system.newOrganization();
    const { id } = await newUser(organization);
    await organization.call('POST', `/api/users/${id}/invitation`);
    for (const limits of [{ permissions: ['work-items:read', 'users:read'] }, { projects: [organization.projectId] }]) {
      const { data } = await organization.call<{ key: string }>('POST', '/api/api-keys', { name: 'Less', ...limits });
      const { items, counts } = await forYou(caller(system.baseUrl, data.key));
      expect({ items, invitation: counts.invitation }).toEqual({ items: [], invitation: 0 });
    }
    expect((await forYou(organization.call)).counts.invitation).toBe(1);
  });
});
