import { beforeAll, describe, expect, test } from 'vitest';
import { caller } from '../../support/organization.ts';
import { type System, sharedSystem } from '../../support/system.ts';

let system: System;
beforeAll(async () => {
  system = await sharedSystem();
});

interface Created {
  id: string;
  key: string;
}

describe('DELETE /api/api-keys/:id', () => {
  test('200: the key is dead from then on, over REST and over MCP; again, the same answer', async () => {
    const org = await system.newOrganization();
    const { data: made } = await org.call<Created>('POST', '/api/api-keys', { name: 'CI' });
    const call = caller(system.baseUrl, made.key);
    expect((await call('GET', '/api/me')).status).toBe(200);
    const revoked = await org.call('DELETE', `/api/api-keys/${made.id}`);
    expect(revoked.status).toBe(200);
    expect(revoked.data).toEqual({ id: made.id, revokedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect((await call('GET', '/api/me')).status).toBe(401);
    expect((await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(401);
    const again = await org.call('DELETE', `/api/api-keys/${made.id}`);
    expect([again.status, again.data]).toEqual([200, revoked.data]);
  });

  test('200: for the very key that makes the request', async () => {
    const org = await system.newOrganization();
    const { data: made } = await org.call<Created>('POST', '/api/api-keys', { name: 'CI' });
    const call = caller(system.baseUrl, made.key);
    expect((await call('DELETE', `/api/api-keys/${made.id}`)).status).toBe(200);
    expect((await call('DELETE', `/api/api-keys/${made.id}`)).status).toBe(401);
  });

  test('400: an invalid id', async () => {
    const org = await system.newOrganization();
    const { status, error } = await org.call('DELETE', '/api/api-keys/first');
    expect(status).toBe(400);
    expect(error.details?.map((detail) => detail.path)).toEqual(['id']);
  });
});
