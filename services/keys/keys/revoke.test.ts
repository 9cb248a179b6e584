import { MAX_LISTED_KEYS } from '@worktrack/contracts/keys/keys';
import { type Permission, ROLE_PERMISSIONS } from '@worktrack/contracts/permissions';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf, startKeys } from '../testing.ts';
import { KeyModel } from './keys.model.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

describe('a revocation', () => {
  test('makes the key invalid and says since when; repeated, it answers the same', async () => {
    const { owner } = await keys.organization();
    const created = await keys.call('keys.create', { name: 'CI' }, owner);
    const revoked = await keys.call('keys.revoke', { id: created.id }, owner);
    expect(revoked).toEqual({ id: created.id, revokedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(await keys.verify(created.key as string)).toBeUndefined();
    expect(await keys.call('keys.revoke', { id: created.id }, owner)).toEqual(revoked);
  });

  test('removes the key from the list, but not from the list of all', async () => {
    const { owner, apiKey } = await keys.organization();
    const created = await keys.call('keys.create', { name: 'CI' }, owner);
    const { revokedAt } = await keys.call('keys.revoke', { id: created.id }, owner);
    const { key, ...record } = created;
    const { key: _, ...first } = apiKey;
    expect(await keys.call('keys.list', {}, owner)).toEqual([first]);
    expect(await keys.call('keys.list', { includeRevoked: true }, owner)).toEqual([{ ...record, revokedAt }, first]);
  });

  test('never makes the list too long for an answer: it continues with a cursor, and each key is listed once', async () => {
    const { owner } = await keys.organization();
    const revoked = Array.from({ length: MAX_LISTED_KEYS }, () => {
      const id = uuidv7();
      return {
        _id: id,
        organizationId: owner.organization.id,
        userId: owner.user.id,
        createdBy: owner.user.id,
        name: 'CI',
        prefix: id,
        hash: 'x',
        permissions: [],
        createdAt: new Date(),
        revokedAt: new Date(),
      };
    });
    await KeyModel.insertMany(revoked);
    const page = await keys.call('keys.list', { includeRevoked: true }, owner);
    const rest = await keys.call('keys.list', { includeRevoked: true, cursor: page.at(-1)?.id }, owner);
    expect([page.length, rest.length]).toEqual([MAX_LISTED_KEYS, 1]);
    const ids = [...revoked.map(({ _id }) => _id), owner.key.id];
    expect([...page, ...rest].map(({ id }) => id)).toEqual(ids.toSorted().toReversed());
    // The key that is active is older than all of them.
    expect((await keys.call('keys.list', {}, owner)).map(({ id }) => id)).toEqual([owner.key.id]);
  });

  test('of a key that holds more is refused; of the own one, and of those that hold no more, not', async () => {
    const { owner, apiKey } = await keys.organization();
    const make = async (permissions: Permission[]) => {
      const made = await keys.call('keys.create', { name: 'CI', permissions }, owner);
      return { id: made.id, identity: await keys.identityOf(made.key) };
    };
    const narrow = await make(['api-keys:write']);
    const revoke = (id: string) => codeOf(keys.call('keys.revoke', { id }, narrow.identity));
    expect(await revoke(apiKey.id)).toBe('PERMISSION_DENIED');
    expect(await revoke((await make(['work-items:read'])).id)).toBe('PERMISSION_DENIED');
    expect(await keys.verify(apiKey.key as string)).toBeDefined();
    expect(await revoke((await make(['api-keys:write'])).id)).toBe('ok');
    expect(await revoke((await make([])).id)).toBe('ok');
    expect(await revoke(narrow.id)).toBe('ok');
  });

  test('of a key counts what its user may still do', async () => {
    const { owner } = await keys.organization();
    const user = await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: 'viewer' }, owner);
    const ofViewer = await keys.call('keys.create', { name: 'Bob', userId: user.id }, owner);
    const permissions: Permission[] = [...ROLE_PERMISSIONS.viewer, 'api-keys:write'];
    const narrow = await keys.call('keys.create', { name: 'CI', permissions }, owner);
    const revoked = keys.call('keys.revoke', { id: ofViewer.id }, await keys.identityOf(narrow.key));
    expect(await codeOf(revoked)).toBe('ok');
  });

  test('of a key of another organization finds nothing, and that key stays', async () => {
    const { owner } = await keys.organization();
    const { apiKey } = await keys.organization();
    expect(await codeOf(keys.call('keys.revoke', { id: apiKey.id }, owner))).toBe('NOT_FOUND');
    expect(await keys.verify(apiKey.key as string)).toBeDefined();
  });

  test('is not answered while the cache is unavailable, though it is stored; repeating it completes it', async () => {
    const { owner } = await keys.organization();
    const created = await keys.call('keys.create', { name: 'CI' }, owner);
    const idempotencyKey = uuidv7();
    const revoke = () => codeOf(keys.call('keys.revoke', { id: created.id }, owner, idempotencyKey));
    keys.redis.disconnect();
    expect(await revoke()).toBe('UNAVAILABLE');
    expect(await keys.verify(created.key as string)).toBeUndefined();
    await keys.redis.connect();
    expect(await revoke()).toBe('ok');
  });
});
