import { assembleKey } from '@worktrack/contracts/keys/key-format';
import { PERMISSIONS, ROLE_PERMISSIONS } from '@worktrack/contracts/permissions';
import { beforeAll, describe, expect, test } from 'vitest';
import { type System, sharedSystem } from '../../support/system.ts';

let system: System;
beforeAll(async () => {
  system = await sharedSystem();
});

async function me(authorization?: string) {
  const response = await fetch(`${system.baseUrl}/api/me`, { headers: authorization ? { authorization } : {} });
  const body = (await response.json()) as { success: boolean; data: object; error: { code: string; message: string } };
  return { status: response.status, headers: response.headers, body };
}

describe('GET /api/me', () => {
  test('200: tells whom the key speaks for', async () => {
    const { apiKey, organizationId, userId } = await system.newOrganization();
    const { status, body } = await me(`Bearer ${apiKey}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: {
        user: { id: userId, name: expect.any(String), email: expect.stringContaining('@example.com'), role: 'owner' },
        organization: { id: organizationId, name: expect.stringContaining('Test') },
        permissions: PERMISSIONS,
        projects: null,
        key: { id: expect.any(String), name: expect.any(String), prefix: apiKey.slice(0, 11) },
      },
    });
  });

  test('200: the scheme may be written in any case, and white space around the key does not matter', async () => {
    const { apiKey } = await system.newOrganization();
    for (const header of [`bearer ${apiKey}`, `BEARER ${apiKey}`, `Bearer   ${apiKey}  `]) {
      expect((await me(header)).status).toBe(200);
    }
  });

  test.each([undefined, 'Basic dXNlcjpwYXNzd29yZA==', 'Bearer', 'Bearer ', 'Token abc'])(
    '401 API_KEY_MISSING: without a bearer key (%s)',
    async (header) => {
      const { status, headers, body } = await me(header);
      expect(status).toBe(401);
      expect(body.error.code).toBe('API_KEY_MISSING');
      expect(headers.get('www-authenticate')).toBe('Bearer realm="worktrack"');
    },
  );

  test('401 API_KEY_INVALID: the same answer for malformed, unknown and revoked keys', async () => {
    const { apiKey, call } = await system.newOrganization();
    const { data } = await call<{ id: string; key: string }>('POST', '/api/api-keys', { name: 'CI' });
    await call('DELETE', `/api/api-keys/${data.id}`);
    const wrong = [
      'x',
      `${apiKey} ${apiKey}`,
      apiKey.slice(0, -1),
      `${apiKey.slice(0, -1)}${apiKey.endsWith('0') ? '1' : '0'}`,
      assembleKey('0123456789abcdefghijABCDEFGHIJ'),
      // The prefix of a valid key, with another secret.
      assembleKey(apiKey.slice(3, 11).padEnd(30, '0')),
      data.key,
      // What is no API key at all.
      'pk_6773ubnSJ6nUN06VnDYLSi6s',
      'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.AAAA',
      '$WORKTRACK_API_KEY',
    ];
    const answers = await Promise.all(wrong.map((key) => me(`Bearer ${key}`)));
    for (const { status, headers, body } of answers) {
      expect(status).toBe(401);
      expect(body.error).toEqual({ ...answers[0]?.body.error, requestId: expect.any(String) });
      expect(body.error.code).toBe('API_KEY_INVALID');
      expect(body.error.message).toContain('begins with wt_');
      expect(headers.get('www-authenticate')).toBe('Bearer realm="worktrack"');
    }
  });

  test('400: with a query, which the route does not accept', async () => {
    const { call } = await system.newOrganization();
    const { status, error } = await call('GET', '/api/me?verbose=1');
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'verbose' }] });
  });
});

test('the next request sees a change of the user or of the role', async () => {
  const { call, newUser, userId } = await system.newOrganization();
  const { id, call: asBob } = await newUser({ name: 'Bob' });
  expect((await asBob('GET', '/api/me')).data).toMatchObject({ user: { name: 'Bob', role: 'member' } });

  await call('PATCH', `/api/users/${id}`, { name: 'Robert', role: 'viewer' });
  expect((await asBob('GET', '/api/me')).data).toMatchObject({
    user: { name: 'Robert', role: 'viewer' },
    permissions: ROLE_PERMISSIONS.viewer,
  });
  const denied = await asBob('PATCH', `/api/users/${userId}`, { name: 'X' });
  expect(denied.status).toBe(403);
  expect(denied.error).toMatchObject({ code: 'PERMISSION_DENIED', message: expect.stringContaining('users:write') });

  await call('PATCH', `/api/users/${id}`, { disabled: true });
  expect((await asBob('GET', '/api/me')).status).toBe(401);
  await call('PATCH', `/api/users/${id}`, { disabled: false });
  expect((await asBob('GET', '/api/me')).status).toBe(200);
});
