import type { Identity } from '@worktrack/contracts/keys/identity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf, startKeys } from '../testing.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

async function activeOwners(owner: Identity): Promise<number> {
  const { users } = await keys.call('users.list', {}, owner);
  return users.filter((user) => user.role === 'owner' && !user.disabled).length;
}

async function twoOwners() {
  const { owner, user: first } = await keys.organization();
  const second = await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: 'owner' }, owner);
  return { owner, first, second };
}

describe('the last active owner', () => {
  test.each([{ role: 'admin' }, { disabled: true }, { role: 'viewer', disabled: true }] as const)(
    'stays one: %j is refused',
    async (change) => {
      const { owner, user } = await keys.organization();
      expect(await codeOf(keys.call('users.update', { id: user.id, ...change }, owner))).toBe('CONFLICT');
      expect(await activeOwners(owner)).toBe(1);
    },
  );

  test('is counted without disabled owners', async () => {
    const { owner, first, second } = await twoOwners();
    await keys.call('users.update', { id: second.id, disabled: true }, owner);
    expect(await codeOf(keys.call('users.update', { id: first.id, role: 'admin' }, owner))).toBe('CONFLICT');
    // A disabled owner is not an active one, so there is nothing to lose.
    expect(await codeOf(keys.call('users.update', { id: second.id, role: 'member' }, owner))).toBe('ok');
  });

  test('may be renamed, and may step back once there is another', async () => {
    const { owner, user } = await keys.organization();
    expect((await keys.call('users.update', { id: user.id, name: 'Ada L.', role: 'owner' }, owner)).name).toBe(
      'Ada L.',
    );
    await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: 'owner' }, owner);
    expect((await keys.call('users.update', { id: user.id, role: 'member' }, owner)).role).toBe('member');
  });

  test('remains, out of two, whichever of 50 concurrent demotions come first', async () => {
    for (let round = 0; round < 2; round++) {
      const { owner, first, second } = await twoOwners();
      // By an admin, who loses nothing by them.
      const { id: userId } = await keys.call(
        'users.create',
        { email: 'eve@example.com', name: 'Eve', role: 'admin' },
        owner,
      );
      const { key } = await keys.call('keys.create', { name: 'Admin', userId }, owner);
      const admin = await keys.identityOf(key);
      const codes = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          codeOf(
            keys.call(
              'users.update',
              { id: (i % 2 ? first : second).id, ...(i % 3 ? { role: 'member' as const } : { disabled: true }) },
              admin,
            ),
          ),
        ),
      );
      expect(await activeOwners(admin)).toBe(1);
      expect(new Set(codes)).toEqual(new Set(['ok', 'CONFLICT']));
    }
  });
});
