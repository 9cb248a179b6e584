import { MAX_LISTED_KEYS } from '@worktrack/contracts/keys/keys';
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
