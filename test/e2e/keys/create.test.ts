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
});
