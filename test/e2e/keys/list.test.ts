import { beforeAll, describe, expect, test } from 'vitest';
import { type System, sharedSystem } from '../../support/system.ts';

let system: System;
beforeAll(async () => {
  system = await sharedSystem();
});

interface Listed {
  id: string;
  name: string;
  key?: string;
  revokedAt: string | null;
}

describe('GET /api/api-keys', () => {
  test("200: the organization's active keys, newest first, without the keys themselves", async () => {
    const org = await system.newOrganization();
    await system.newOrganization();
    const { data: one } = await org.call<Listed>('POST', '/api/api-keys', { name: 'One' });
    const { data: two } = await org.call<Listed>('POST', '/api/api-keys', { name: 'Two' });
    const { status, data } = await org.call<Listed[]>('GET', '/api/api-keys');
    expect(status).toBe(200);
    expect(data.map(({ name }) => name)).toEqual(['Two', 'One', 'First key']);
    expect(JSON.stringify(data)).not.toContain((one.key as string).slice(11));
    expect(data[0]).toEqual({ ...two, key: undefined });

    await org.call('DELETE', `/api/api-keys/${one.id}`);
    expect((await org.call<Listed[]>('GET', '/api/api-keys')).data.map(({ name }) => name)).toEqual([
      'Two',
      'First key',
    ]);
    const all = await org.call<Listed[]>('GET', '/api/api-keys?includeRevoked=true');
    expect(all.data.map(({ name, revokedAt }) => [name, revokedAt !== null])).toEqual([
      ['Two', false],
      ['One', true],
      ['First key', false],
    ]);
  });

  test.each(['includeRevoked=yes', 'includeRevoked=', 'limit=5'])('400: ?%s', async (query) => {
    const org = await system.newOrganization();
    const { status, error } = await org.call('GET', `/api/api-keys?${query}`);
    expect(status).toBe(400);
    expect(error.details?.map((detail) => detail.path)).toEqual([query.split('=', 1)[0]]);
  });
});
