import { randomUUID } from 'node:crypto';
import { isWellFormedKey } from '@worktrack/contracts/keys/key-format';
import { PERMISSIONS } from '@worktrack/contracts/permissions';
import { beforeAll, describe, expect, test } from 'vitest';
import { caller, type TestOrganization } from '../../support/organization.ts';
import { type System, sharedSystem } from '../../support/system.ts';

let system: System;
let org: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  org = await system.newOrganization();
});

interface Created {
  id: string;
  key: string | null;
  permissions: string[];
}

async function keyWith(permissions: string[]) {
  const { data } = await org.call<Created>('POST', '/api/api-keys', { name: 'Narrow', permissions });
  return caller(system.baseUrl, data.key as string);
}

describe('POST /api/api-keys', () => {
  test('201: the record and, this once, the key, which works', async () => {
    const { status, data } = await org.call<Created>('POST', '/api/api-keys', { name: 'CI', expiresInDays: 1 });
    expect(status).toBe(201);
    expect(data).toEqual({
      id: expect.any(String),
      name: 'CI',
      key: expect.any(String),
      prefix: data.key?.slice(0, 11),
      permissions: PERMISSIONS,
      projects: null,
      rateLimit: { requests: 6_000, windowSeconds: 60 },
      userId: org.userId,
      createdBy: org.userId,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      lastUsedAt: null,
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      revokedAt: null,
      replacedBy: null,
    });
    expect(isWellFormedKey(data.key as string)).toBe(true);
    expect((await caller(system.baseUrl, data.key as string)('GET', '/api/projects')).status).toBe(200);
  });

  test('201: the key may do what was asked for, and nothing else', async () => {
    const call = await keyWith(['projects:read']);
    expect((await call('GET', '/api/projects')).status).toBe(200);
    expect((await call('GET', '/api/work-items')).status).toBe(403);
    expect((await call('POST', '/api/projects', { name: 'X', key: 'X' })).status).toBe(403);
  });

  test('201: a repeated creation answers the same record without the key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await org.call<Created>('POST', '/api/api-keys', { name: 'Once' }, headers);
    const again = await org.call<Created>('POST', '/api/api-keys', { name: 'Once' }, headers);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.data).toEqual({ ...first.data, key: null });
  });

  test.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ name: 1 }, 'name'],
    [{ name: 'CI', permissions: ['work-items:admin'] }, 'permissions.0'],
    [{ name: 'CI', permissions: 'projects:read' }, 'permissions'],
    [{ name: 'CI', expiresInDays: 0 }, 'expiresInDays'],
    [{ name: 'CI', expiresInDays: 3_651 }, 'expiresInDays'],
    [{ name: 'CI', expiresInDays: 1.5 }, 'expiresInDays'],
    [{ name: 'CI', expiresInDays: '7' }, 'expiresInDays'],
    [{ name: 'CI', userId: 'me' }, 'userId'],
    [{ name: 'CI', userId: { $ne: null } }, 'userId'],
    [{ name: 'CI', scopes: [] }, 'scopes'],
  ])('400: %j names the field', async (body, path) => {
    const { status, error } = await org.call('POST', '/api/api-keys', body);
    expect(status).toBe(400);
    expect(error.code).toBe('VALIDATION_FAILED');
    expect(error.details?.map((detail) => detail.path)).toEqual([path]);
  });

  test('401: without a key', async () => {
    expect((await caller(system.baseUrl, '')('POST', '/api/api-keys', { name: 'CI' })).status).toBe(401);
  });

  test('403: without api-keys:write, which the message names', async () => {
    const call = await keyWith(['api-keys:read']);
    const { status, error } = await call('POST', '/api/api-keys', { name: 'CI' });
    expect(status).toBe(403);
    expect(error).toMatchObject({ code: 'PERMISSION_DENIED', message: expect.stringContaining('api-keys:write') });
  });

  test('403: for more than the caller holds, and for another user without users:write', async () => {
    const call = await keyWith(['api-keys:write', 'projects:read']);
    const more = await call('POST', '/api/api-keys', { name: 'CI', permissions: ['projects:write'] });
    expect(more.status).toBe(403);
    expect(more.error.message).toContain('projects:write');
    const { data: bob } = await org.call<{ id: string }>('POST', '/api/users', {
      email: `${randomUUID()}@example.com`,
      name: 'Bob',
      role: 'member',
    });
    const other = await call('POST', '/api/api-keys', { name: 'CI', userId: bob.id });
    expect(other.status).toBe(403);
    expect(other.error.message).toContain('users:write');
  });

  test('404: for a user of another organization', async () => {
    const { userId } = await system.newOrganization();
    const { status, error } = await org.call('POST', '/api/api-keys', { name: 'CI', userId });
    expect(status).toBe(404);
    expect(error.code).toBe('NOT_FOUND');
  });

  test('409: for a disabled user', async () => {
    const { data: bob } = await org.call<{ id: string }>('POST', '/api/users', {
      email: `${randomUUID()}@example.com`,
      name: 'Bob',
      role: 'member',
    });
    await org.call('PATCH', `/api/users/${bob.id}`, { disabled: true });
    const { status, error } = await org.call('POST', '/api/api-keys', { name: 'CI', userId: bob.id });
    expect(status).toBe(409);
    expect(error.code).toBe('CONFLICT');
  });

  test('409: if the idempotency key was used for another creation', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    await org.call('POST', '/api/api-keys', { name: 'One' }, headers);
    const { status, error } = await org.call('POST', '/api/api-keys', { name: 'Two' }, headers);
    expect(status).toBe(409);
    expect(error.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});
