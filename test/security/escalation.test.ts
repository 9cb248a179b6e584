import { randomUUID } from 'node:crypto';
import { PERMISSIONS, type Permission, ROLE_PERMISSIONS, ROLES, type Role } from '@worktrack/contracts/permissions';
import { beforeAll, describe, expect, test } from 'vitest';
import { caller, type TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});

interface CreatedKey {
  readonly key: string;
  readonly expiresAt: string | null;
}

async function callerWith(permissions: readonly Permission[], expiresInDays?: number) {
  const { data } = await organization.call<CreatedKey>('POST', '/api/api-keys', {
    name: 'Narrow',
    permissions,
    ...(expiresInDays && { expiresInDays }),
  });
  return { call: caller(system.baseUrl, data.key), expiresAt: data.expiresAt };
}

async function userOf(role: Role): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  return (await organization.call<{ id: string }>('POST', '/api/users', { email, name: 'Bob', role })).data.id;
}

const USERS: readonly Permission[] = ['users:read', 'users:write'];

describe('nobody grants more than they hold', () => {
  test.each(ROLES)(
    'a key that may only change users makes nobody %s, neither a viewer nor a new user',
    async (role) => {
      const { call } = await callerWith(USERS);
      const viewer = await userOf('viewer');
      const missing = ROLE_PERMISSIONS[role].find((permission) => !USERS.includes(permission)) as string;
      for (const { status, error } of [
        await call('PATCH', `/api/users/${viewer}`, { role }),
        await call('POST', '/api/users', { email: `${randomUUID()}@example.com`, name: 'Bob', role }),
      ]) {
        expect([status, error.code]).toEqual([403, 'PERMISSION_DENIED']);
        expect(error.message).toContain(missing);
      }
    },
  );

  test.each(ROLES)(
    'a key that lacks one permission of %s neither gives the role nor changes who has it',
    async (role) => {
      const user = await userOf(role);
      const viewerAtMost = PERMISSIONS.filter((permission) => permission !== 'work-items:read');
      const { call } = await callerWith(viewerAtMost);
      for (const change of [{ name: 'Eve' }, { disabled: true }, { role: 'viewer' }, { role }]) {
        const { status, error } = await call('PATCH', `/api/users/${user}`, change);
        expect([status, error.code]).toEqual([403, 'PERMISSION_DENIED']);
        expect(error.message).toContain('work-items:read');
      }
    },
  );

  test('a key grants a role that holds what it holds itself, to a user who holds no more', async () => {
    const { call } = await callerWith([...ROLE_PERMISSIONS.member, 'users:write']);
    const viewer = await userOf('viewer');
    expect(await call('PATCH', `/api/users/${viewer}`, { role: 'member' })).toMatchObject({
      status: 200,
      data: { role: 'member' },
    });
    expect((await call('PATCH', `/api/users/${viewer}`, { role: 'admin' })).status).toBe(403);
    expect((await call('PATCH', `/api/users/${await userOf('admin')}`, { role: 'viewer' })).status).toBe(403);
  });
});

describe('a key does not outlive the one that creates it', () => {
  test('left out, its end is that of its creator', async () => {
    const { call, expiresAt } = await callerWith(['api-keys:write'], 1);
    const made = await call<CreatedKey>('POST', '/api/api-keys', { name: 'Heir' });
    expect(made).toMatchObject({ status: 201, data: { expiresAt } });
    const heir = caller(system.baseUrl, made.data.key);
    expect(await heir('POST', '/api/api-keys', { name: 'Heir of the heir' })).toMatchObject({ data: { expiresAt } });
  });

  test('asked for, it may end with its creator or before, and not after', async () => {
    const { call, expiresAt } = await callerWith(['api-keys:write'], 2);
    const make = (expiresInDays: number) => call<CreatedKey>('POST', '/api/api-keys', { name: 'Heir', expiresInDays });
    const before = await make(1);
    expect(before.status).toBe(201);
    expect(Date.parse(before.data.expiresAt ?? '')).toBeLessThan(Date.parse(expiresAt ?? ''));
    expect(await make(2)).toMatchObject({ status: 201, data: { expiresAt } });
    for (const days of [3, 4, 3_650]) {
      const { status, error } = await make(days);
      expect([status, error.code]).toEqual([403, 'PERMISSION_DENIED']);
      expect(error).toMatchObject({ message: expect.stringContaining(expiresAt ?? '-') });
      expect(error.details?.map(({ path }) => path)).toEqual(['expiresInDays']);
    }
  });
});

test('a key gives a project of its organization without a permission on projects, and learns of no other', async () => {
  const { call } = await callerWith(['api-keys:write']);
  const made = await call<{ projects: string[] }>('POST', '/api/api-keys', {
    name: 'Part',
    projects: [organization.projectId],
  });
  expect(made).toMatchObject({ status: 201, data: { projects: [organization.projectId] } });
  const { projectId } = await system.newOrganization();
  for (const id of [projectId, randomUUID()]) {
    const { status, error } = await call('POST', '/api/api-keys', { name: 'Part', projects: [id] });
    expect([status, error.code]).toEqual([400, 'VALIDATION_FAILED']);
  }
});

test('an admin makes no owner, signs none in and acts as none: what is for owners stays theirs', async () => {
  const { id: admin, call } = await organization.newUser({ role: 'admin' });
  const owner = await userOf('owner');
  const newcomer = { name: 'Grace', email: `${randomUUID()}@example.com`, role: 'owner' };
  for (const [method, path, body] of [
    ['POST', '/api/users', newcomer],
    ['PATCH', `/api/users/${admin}`, { role: 'owner' }],
    ['POST', '/api/login-codes', { userId: owner }],
    ['POST', `/api/users/${owner}/invitation`, {}],
    ['DELETE', `/api/users/${owner}/invitation`, undefined],
    ['POST', '/api/api-keys', { name: 'B', userId: owner }],
  ] as const) {
    const refused = await call(method, path, body);
    expect([method, path, refused.status, refused.error?.code]).toEqual([method, path, 403, 'PERMISSION_DENIED']);
  }
});

test('what an admin made for a member does nothing that is for owners once the member is one, and says why', async () => {
  const admin = await organization.newUser({ role: 'admin' });
  const member = await userOf('member');
  const made = await admin.call<CreatedKey>('POST', '/api/api-keys', {
    name: 'For a colleague',
    userId: member,
  });
  const call = caller(system.baseUrl, made.data.key);
  expect((await organization.call('PATCH', `/api/users/${member}`, { role: 'owner' })).status).toBe(200);
  const { data } = await call('GET', '/api/me');
  expect(data).toMatchObject({ user: { id: member, role: 'admin' }, roleLimit: 'admin' });
  const refused = await call('GET', '/api/grants?all=true');
  expect([refused.status, refused.error?.code]).toEqual([403, 'PERMISSION_DENIED']);
  expect(refused.error.message).toContain('was made by somebody else and acts as admin at most');
  // Of what is for admins, it does all.
  expect((await call('PATCH', '/api/organization', { feedbackPerDay: null })).status).toBe(200);
});

test('the current item in a conflict is shown only to those who may read it', async () => {
  const { data: item } = await organization.call<{ id: string; title: string }>('POST', '/api/work-items', {
    boardId: organization.boardId,
    boardColumnId: organization.columns.Backlog,
    type: 'task',
    title: `Secret ${randomUUID()}`,
  });
  const stale = { title: 'Mine', version: 99 };
  const reader = await organization.call('PATCH', `/api/work-items/${item.id}`, stale);
  expect(reader).toMatchObject({ status: 409, error: { code: 'CONFLICT', current: { title: item.title } } });
  const { call } = await callerWith(['work-items:write']);
  const writer = await call('PATCH', `/api/work-items/${item.id}`, stale);
  expect(writer).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
  expect(JSON.stringify(writer)).not.toContain(item.title);
});
