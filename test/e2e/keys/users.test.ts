import { beforeAll, describe, expect, test } from 'vitest';
import { type System, sharedSystem } from '../../support/system.ts';

let system: System;
beforeAll(async () => {
  system = await sharedSystem();
});

interface User {
  id: string;
  email: string;
  role: string;
  disabled: boolean;
}
const bob = { email: 'bob@example.com', name: 'Bob', role: 'member' };

describe('GET /api/users', () => {
  test('200: pages, newest first', async () => {
    const org = await system.newOrganization();
    const { data: created } = await org.call<User>('POST', '/api/users', bob);
    const { status, data } = await org.call<{ users: User[]; pagination: object }>('GET', '/api/users?limit=1&page=1');
    expect(status).toBe(200);
    expect(data).toEqual({
      users: [{ ...created, invitation: null }],
      pagination: { page: 1, limit: 1, total: 2, totalPages: 2 },
    });
  });

  test.each(['limit=101', 'limit=0', 'page=0', 'limit=ten', 'role=owner'])('400: ?%s', async (query) => {
    const org = await system.newOrganization();
    const { status, error } = await org.call('GET', `/api/users?${query}`);
    expect(status).toBe(400);
    expect(error.details?.map((detail) => detail.path)).toEqual([query.split('=', 1)[0]]);
  });
});

describe('POST /api/users', () => {
  test('201: the user, with the address in lower case', async () => {
    const org = await system.newOrganization();
    const { status, data } = await org.call('POST', '/api/users', { ...bob, email: 'Bob@Example.com' });
    expect(status).toBe(201);
    expect(data).toEqual({
      ...bob,
      id: expect.any(String),
      projects: null,
      disabled: false,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  test.each([
    [{ name: 'Bob', role: 'member' }, ['email']],
    [{ ...bob, email: 'bob' }, ['email']],
    [{ ...bob, email: `${'b'.repeat(250)}@example.com` }, ['email']],
    [{ ...bob, name: '' }, ['name']],
    [{ ...bob, role: 'root' }, ['role']],
    [{ ...bob, disabled: true }, ['disabled']],
    [{}, ['email', 'name', 'role']],
  ])('400: %j names the fields', async (body, paths) => {
    const org = await system.newOrganization();
    const { status, error } = await org.call('POST', '/api/users', body);
    expect(status).toBe(400);
    expect(error.details?.map((detail) => detail.path)).toEqual(paths);
  });
});

describe('PATCH /api/users/:id', () => {
  test('200: changes what is given', async () => {
    const org = await system.newOrganization();
    const { data: created } = await org.call<User>('POST', '/api/users', bob);
    const { status, data } = await org.call<User>('PATCH', `/api/users/${created.id}`, { role: 'viewer' });
    expect(status).toBe(200);
    expect(data).toEqual({ ...created, role: 'viewer', updatedAt: expect.any(String) });
    expect((await org.call<User>('PATCH', `/api/users/${created.id}`, {})).data).toMatchObject({ role: 'viewer' });
  });

  test.each([
    [{ role: 'root' }, 'role'],
    [{ disabled: 'yes' }, 'disabled'],
    [{ name: ' ' }, 'name'],
    [{ email: 'new@example.com' }, 'email'],
  ])('400: %j names the field', async (body, path) => {
    const org = await system.newOrganization();
    const { status, error } = await org.call('PATCH', `/api/users/${org.userId}`, body);
    expect(status).toBe(400);
    expect(error.details?.map((detail) => detail.path)).toEqual([path]);
  });
});
