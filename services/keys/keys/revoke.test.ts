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

describe('what is taken away from whoever makes a call, after the gateway has let the call in,', () => {
  const PROJECT = uuidv7();
  const projects = [PROJECT];

  /** Of an admin with a role of its own, and what they lose. */
  async function admin() {
    const { owner, apiKey } = await keys.organization();
    const permissions = ROLE_PERMISSIONS.admin.filter((each) => each !== 'webhooks:write');
    const role = await keys.call('roles.create', { name: 'Almost admin', permissions: [...permissions] }, owner);
    const user = await keys.call('users.create', { email: 'eve@example.com', name: 'Eve', role: role.id }, owner);
    const own = await keys.call('keys.create', { name: 'Own', userId: user.id, permissions: [...permissions] }, owner);
    return { owner, ownersKey: apiKey.id, role, user, own, identity: await keys.identityOf(own.key) };
  }
  type Admin = Awaited<ReturnType<typeof admin>>;

  test.each<[string, ({ owner, role, user, own }: Admin) => Promise<unknown>]>([
    ['its key', ({ owner, own }) => keys.call('keys.revoke', { id: own.id }, owner)],
    ['its key, by a rotation', ({ owner, own }) => keys.call('keys.rotate', { id: own.id, overlapSeconds: 0 }, owner)],
    ['its user', ({ owner, user }) => keys.call('users.update', { id: user.id, disabled: true }, owner)],
    ['its role', ({ owner, user }) => keys.call('users.update', { id: user.id, role: 'member' }, owner)],
    [
      'a permission of its role',
      ({ owner, role }) => keys.call('roles.update', { id: role.id, permissions: ['api-keys:write'] }, owner),
    ],
    ['a project', ({ owner, user }) => keys.call('users.update', { id: user.id, projects }, owner)],
  ])('%s, is not left in anything that the call makes', async (_what, takeAway) => {
    const made = await admin();
    const { owner, identity, user } = made;
    const other = await keys.call('keys.create', { name: 'Other', permissions: ['work-items:read'] }, owner);
    await takeAway(made);
    const claims = { repository_id: '1', repository_owner_id: '2', ref: 'refs/heads/main' };
    const tries = [
      keys.call('keys.create', { name: 'Left behind' }, identity),
      keys.call('keys.rotate', { id: other.id }, identity),
      keys.call('users.create', { email: 'mallory@example.com', name: 'Mallory', role: 'member' }, identity),
      keys.call('users.update', { id: user.id, role: 'viewer' }, identity),
      keys.call('roles.create', { name: 'Left behind', permissions: ['users:write'] }, identity),
      keys.call('trustRules.create', { name: 'Left behind', preset: 'github', claims }, identity),
    ];
    // Nothing can be made for a user who is disabled.
    const codes = await Promise.all(tries.map(codeOf));
    expect(new Set([...codes, 'CONFLICT'])).toEqual(new Set(['PERMISSION_DENIED', 'CONFLICT']));
  });

  test('a permission, does not keep its key from replacing itself, which then has no more than is left', async () => {
    const { owner, user, identity } = await admin();
    await keys.call('users.update', { id: user.id, role: 'viewer', projects }, owner);
    const { key } = await keys.call('keys.rotateSelf', {}, identity);
    expect(await keys.identityOf(key)).toMatchObject({ projects, user: { role: 'viewer' } });
    expect((await keys.identityOf(key)).permissions).not.toContain('users:write');
  });

  test('a key, leaves no key behind that was not there when the answer came', async () => {
    const { owner } = await keys.organization();
    const names = async () => (await keys.call('keys.list', {}, owner)).map(({ name }) => name);
    for (let round = 0; round < 5; round++) {
      const leaked = await keys.call('keys.create', { name: 'Leaked' }, owner);
      const identity = await keys.identityOf(leaked.key);
      const made = Array.from({ length: 6 }, () => codeOf(keys.call('keys.create', { name: `Of ${round}` }, identity)));
      await keys.call('keys.revoke', { id: leaked.id }, owner);
      const seen = await names();
      expect(new Set([...(await Promise.all(made)), 'ok', 'PERMISSION_DENIED'])).toEqual(
        new Set(['ok', 'PERMISSION_DENIED']),
      );
      expect(await names()).toEqual(seen);
    }
  });
});
