import { PERMISSIONS, ROLE_PERMISSIONS, ROLES } from '@worktrack/contracts/permissions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startKeys } from '../testing.ts';
import { KeyModel } from './keys.model.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

describe('a key speaks', () => {
  test('for its user and organization', async () => {
    const { organization, user, apiKey } = await keys.organization();
    expect(await keys.verify(apiKey.key as string)).toEqual({
      user: { id: user.id, name: 'ada', email: 'ada@example.com', role: 'owner' },
      organization: { id: organization.id, name: 'Example' },
      permissions: PERMISSIONS,
      projects: null,
      key: { id: apiKey.id, name: 'First key', prefix: apiKey.prefix },
    });
  });

  test.each(ROLES)('with no more than its user holds at this moment: %s', async (role) => {
    const { owner } = await keys.organization();
    const user = await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: 'owner' }, owner);
    const { key } = await keys.call('keys.create', { name: 'CI', userId: user.id }, owner);
    const narrow = await keys.call(
      'keys.create',
      { name: 'CI', userId: user.id, permissions: ['feedback:read', 'users:write'] },
      owner,
    );
    await keys.call('users.update', { id: user.id, role }, owner);
    expect((await keys.identityOf(key)).permissions).toEqual(ROLE_PERMISSIONS[role]);
    expect((await keys.identityOf(narrow.key)).permissions).toEqual(
      role === 'owner' || role === 'admin' ? ['feedback:read', 'users:write'] : ['feedback:read'],
    );
  });

  test('not while its user is disabled, and again once the user is enabled', async () => {
    const { owner } = await keys.organization();
    const user = await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: 'member' }, owner);
    const { key } = await keys.call('keys.create', { name: 'CI', userId: user.id }, owner);
    await keys.call('users.update', { id: user.id, disabled: true }, owner);
    expect(await keys.verify(key as string)).toBeUndefined();
    await keys.call('users.update', { id: user.id, disabled: false }, owner);
    expect(await keys.verify(key as string)).toBeDefined();
  });

  test('not once it has expired, and then it is no longer listed as active', async () => {
    const { owner } = await keys.organization();
    const { key, ...record } = await keys.call('keys.create', { name: 'CI', expiresInDays: 1 }, owner);
    expect(await keys.verify(key as string)).toBeDefined();
    await KeyModel.updateOne({ _id: record.id }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    expect(await keys.verify(key as string)).toBeUndefined();
    expect((await keys.call('keys.list', {}, owner)).map(({ id }) => id)).not.toContain(record.id);
    expect((await keys.call('keys.list', { includeRevoked: true }, owner)).map(({ id }) => id)).toContain(record.id);
  });

  test('not if only its prefix is right', async () => {
    const { apiKey } = await keys.organization();
    const forged = `${(apiKey.key as string).slice(0, 11)}${'0'.repeat(28)}`;
    expect(await keys.verify(forged)).toBeUndefined();
  });
});
