import { hash } from 'node:crypto';
import { isWellFormedKey, prefixOf } from '@worktrack/contracts/keys/key-format';
import { DEFAULT_KEY_RATE } from '@worktrack/contracts/keys/records';
import { PERMISSIONS, ROLE_PERMISSIONS, type Role } from '@worktrack/contracts/permissions';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loseReplyOfCommit } from '../../../test/support/lost-reply.ts';
import { codeOf, copiesOf, startKeys } from '../testing.ts';
import { MAX_ACTIVE_KEYS_PER_ORGANIZATION } from './create.ts';
import { KeyModel } from './keys.model.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

/** Another user of the organization, with a key that has all of the user's permissions. */
async function colleague(owner: Parameters<typeof keys.call>[2], role: Role) {
  const user = await keys.call('users.create', { email: `${uuidv7()}@example.com`, name: 'Bob', role }, owner);
  const { key } = await keys.call('keys.create', { name: 'Bob', userId: user.id }, owner);
  return { user, key, identity: await keys.identityOf(key) };
}

describe('a new key', () => {
  test('is well formed, is valid, and holds all that its maker holds unless told otherwise', async () => {
    const { owner, user } = await keys.organization();
    const created = await keys.call('keys.create', { name: '  CI  ' }, owner);
    expect(created).toMatchObject({
      name: 'CI',
      permissions: PERMISSIONS,
      userId: user.id,
      createdBy: user.id,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    });
    expect(isWellFormedKey(created.key as string)).toBe(true);
    expect(created.prefix).toBe(prefixOf(created.key as string));
    expect(await keys.verify(created.key as string)).toMatchObject({ key: { id: created.id, name: 'CI' } });
  });

  test('is shown although the reply to the commit that stored it was lost, and is the only one', async () => {
    const { owner } = await keys.organization();
    loseReplyOfCommit();
    const created = await keys.call('keys.create', { name: 'CI' }, owner);
    expect(await keys.verify(created.key as string)).toMatchObject({ key: { id: created.id, name: 'CI' } });
    const all = await keys.call('keys.list', {}, owner);
    expect(all.filter(({ name }) => name === 'CI')).toHaveLength(1);
  });

  test('holds no more than was asked for, in a fixed order and without repeats', async () => {
    const { owner } = await keys.organization();
    const created = await keys.call(
      'keys.create',
      { name: 'CI', permissions: ['work-items:write', 'projects:read', 'work-items:write'] },
      owner,
    );
    expect(created.permissions).toEqual(['projects:read', 'work-items:write']);
    expect((await keys.identityOf(created.key)).permissions).toEqual(['projects:read', 'work-items:write']);
  });

  test('cannot hold what its maker does not', async () => {
    const { owner } = await keys.organization();
    const narrow = await keys.call('keys.create', { name: 'CI', permissions: ['api-keys:write'] }, owner);
    const maker = await keys.identityOf(narrow.key);
    const denied = keys.call('keys.create', { name: 'More', permissions: ['work-items:read'] }, maker);
    await expect(denied).rejects.toMatchObject({ code: 'PERMISSION_DENIED', message: /work-items:read/ });
    expect((await keys.call('keys.create', { name: 'Same' }, maker)).permissions).toEqual(['api-keys:write']);
  });

  test('acts as another user only if its maker holds users:write, and may do what both may', async () => {
    const { owner } = await keys.organization();
    const { user } = await colleague(owner, 'viewer');
    const created = await keys.call('keys.create', { name: 'For Bob', userId: user.id }, owner);
    expect(created).toMatchObject({ userId: user.id, createdBy: owner.user.id, permissions: PERMISSIONS });
    expect(await keys.identityOf(created.key)).toMatchObject({
      user: { id: user.id, role: 'viewer' },
      permissions: ROLE_PERMISSIONS.viewer,
    });

    const narrow = await keys.call('keys.create', { name: 'CI', permissions: ['api-keys:write'] }, owner);
    const maker = await keys.identityOf(narrow.key);
    const denied = keys.call('keys.create', { name: 'For Bob', userId: user.id }, maker);
    await expect(denied).rejects.toMatchObject({ code: 'PERMISSION_DENIED', message: /users:write/ });
    expect(await codeOf(keys.call('keys.create', { name: 'Mine', userId: owner.user.id }, maker))).toBe('ok');
  });

  test('is not created for a user of another organization, nor for a disabled one', async () => {
    const { owner } = await keys.organization();
    const { user: stranger } = await keys.organization();
    expect(await codeOf(keys.call('keys.create', { name: 'CI', userId: stranger.id }, owner))).toBe('NOT_FOUND');
    const { user } = await colleague(owner, 'member');
    await keys.call('users.update', { id: user.id, disabled: true }, owner);
    expect(await codeOf(keys.call('keys.create', { name: 'CI', userId: user.id }, owner))).toBe('CONFLICT');
  });

  test('expires after the days that were asked for, counted from now', async () => {
    const { owner } = await keys.organization();
    const created = await keys.call('keys.create', { name: 'CI', expiresInDays: 30 }, owner);
    const days = (Date.parse(created.expiresAt as string) - Date.parse(created.createdAt)) / 86_400_000;
    expect(days).toBeCloseTo(30, 3);
  });

  test('is shown once: a replay of its creation does not contain it, and creates no second one', async () => {
    const { owner } = await keys.organization();
    const idempotencyKey = uuidv7();
    const created = await keys.call('keys.create', { name: 'CI' }, owner, idempotencyKey);
    const replay = await keys.call('keys.create', { name: 'CI' }, owner, idempotencyKey);
    expect(replay).toEqual({ ...created, key: null });
    expect(await keys.call('keys.list', {}, owner)).toHaveLength(2);
  });

  test('is stored nowhere, and neither is its digest', async () => {
    const { owner } = await keys.organization();
    const { key } = await keys.call('keys.create', { name: 'CI' }, owner);
    const stored: string[] = [];
    for (const collection of (await mongoose.connection.db?.collections()) ?? []) {
      stored.push(JSON.stringify(await collection.find().toArray()));
    }
    expect(stored.join()).toContain(prefixOf(key as string));
    expect(stored.join()).not.toContain((key as string).slice(11));
    expect(stored.join()).not.toContain(hash('sha256', key as string));
  });

  test('is refused beyond the limit of active keys, until one is revoked', async () => {
    const { owner } = await keys.organization();
    const stored = await KeyModel.findOne({ organizationId: owner.organization.id }).lean();
    await KeyModel.insertMany(copiesOf(stored, MAX_ACTIVE_KEYS_PER_ORGANIZATION - 1));
    expect(await codeOf(keys.call('keys.create', { name: 'CI' }, owner))).toBe('CONFLICT');
    const [newest] = await keys.call('keys.list', {}, owner);
    await keys.call('keys.revoke', { id: newest?.id as string }, owner);
    // Any number that come at once share the one place that is free.
    const create = () => codeOf(keys.call('keys.create', { name: 'CI' }, owner));
    const codes = await Promise.all(Array.from({ length: 8 }, create));
    expect(codes.toSorted()).toEqual([...Array(7).fill('CONFLICT'), 'ok']);
  });

  const RATE = { requests: 100, windowSeconds: 60 };
  test.each<[rate: { requests: number; windowSeconds: number }, isWithin: boolean]>([
    [{ requests: 0, windowSeconds: 60 }, false],
    [{ requests: 101, windowSeconds: 60 }, false],
    [{ requests: 6_000, windowSeconds: 3_600 }, false],
    [{ requests: 100, windowSeconds: 59 }, false],
    [{ requests: 100, windowSeconds: 60 }, true],
    [{ requests: 50, windowSeconds: 30 }, true],
    [{ requests: 100, windowSeconds: 3_600 }, true],
  ])('of a key with 100 requests a minute may have %j: %s', async (rateLimit, isWithin) => {
    const { owner } = await keys.organization();
    const limited = await keys.call('keys.create', { name: 'Limited', rateLimit: RATE }, owner);
    const made = keys.call('keys.create', { name: 'CI', rateLimit }, await keys.identityOf(limited.key));
    expect(await codeOf(made)).toBe(isWithin ? 'ok' : 'PERMISSION_DENIED');
  });

  test('has the rate of the key that creates it, unless told otherwise, and any that is asked of one at the default', async () => {
    const { owner } = await keys.organization();
    const limited = await keys.call('keys.create', { name: 'Limited', rateLimit: RATE }, owner);
    const maker = await keys.identityOf(limited.key);
    expect((await keys.call('keys.create', { name: 'Heir' }, maker)).rateLimit).toEqual(RATE);
    const unlimited = { requests: 0, windowSeconds: 60 };
    const free = await keys.call('keys.create', { name: 'CI', rateLimit: unlimited }, owner);
    expect(free.rateLimit).toEqual(unlimited);
    const ofFree = await keys.call('keys.create', { name: 'CI' }, await keys.identityOf(free.key));
    expect(ofFree.rateLimit).toEqual(DEFAULT_KEY_RATE);
  });
});
