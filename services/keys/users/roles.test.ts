import { MAX_CUSTOM_ROLES } from '@worktrack/contracts/keys/roles';
import type { Permission } from '@worktrack/contracts/permissions';
import { OutboxModel } from '@worktrack/runtime/database/outbox/outbox.model';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf, startKeys } from '../testing.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

const triage = { name: 'Triage', permissions: ['work-items:read', 'feedback:read'] } satisfies object;
type Owner = Awaited<ReturnType<typeof keys.organization>>['owner'];
const make = (owner: Owner, role = triage) =>
  keys.call('roles.create', { name: role.name, permissions: ['work-items:read', 'feedback:read'] }, owner);

describe('a custom role', () => {
  test('leaves its name to another when it is renamed', async () => {
    const { owner } = await keys.organization();
    const { id } = await make(owner);
    await keys.call('roles.update', { id, name: 'Sorting' }, owner);
    expect(await make(owner)).toMatchObject({ name: triage.name });
    expect(await codeOf(keys.call('roles.update', { id, name: triage.name }, owner))).toBe('CONFLICT');
  });

  test('is listed after the built-in ones, and is what its users may do', async () => {
    const { owner } = await keys.organization();
    const role = await make(owner);
    const { roles } = await keys.call('roles.list', {}, owner);
    expect(roles.map(({ name, builtIn }) => [name, builtIn])).toEqual([
      ...['owner', 'admin', 'member', 'viewer'].map((name) => [name, true]),
      ['Triage', false],
    ]);
    const bob = await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: role.id }, owner);
    expect(bob.role).toBe(role.id);
    const { key } = await keys.call('keys.create', { name: 'Bob', userId: bob.id }, owner);
    expect((await keys.identityOf(key)).permissions.toSorted()).toEqual(['feedback:read', 'work-items:read']);
    await keys.call('roles.update', { id: role.id, permissions: ['work-items:read'] }, owner);
    expect((await keys.identityOf(key)).permissions).toEqual(['work-items:read']);
  });

  test('has other permissions for all of its users at once: for many with as few commands as for one', async () => {
    const { owner } = await keys.organization();
    const asked = { one: [] as string[], many: [] as string[] };
    for (const [name, count] of [
      ['one', 1],
      ['many', 5],
    ] as const) {
      const role = await make(owner, { ...triage, name });
      for (let nth = 1; nth <= count; nth++) {
        const user = { email: `${nth}.of.${name}@example.com`, name, role: role.id };
        await keys.call('users.create', user, owner);
      }
      mongoose.set('debug', (collection: string, method: string) => void asked[name].push(`${collection}.${method}`));
      await keys.call('roles.update', { id: role.id, permissions: ['work-items:read'] }, owner);
      mongoose.set('debug', false);
    }
    // Some are sent at the same time, and the process has a heartbeat.
    const commands = (of: readonly string[]) => of.filter((each) => !each.startsWith('transaction_owners.')).sort();
    expect(commands(asked.one)).toContain('users.updateMany');
    expect(commands(asked.many)).toEqual(commands(asked.one));
  });

  test('has none of its users told of when it gets another name and the permissions that it has', async () => {
    const { owner } = await keys.organization();
    const { id } = await make(owner);
    await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: id }, owner);
    const told = async (change: { readonly name?: string; readonly permissions: Permission[] }) => {
      const before = await OutboxModel.countDocuments({ type: 'user.updated' });
      await keys.call('roles.update', { id, ...change }, owner);
      return (await OutboxModel.countDocuments({ type: 'user.updated' })) - before;
    };
    expect(await told({ name: 'Sorting', permissions: ['feedback:read', 'work-items:read'] })).toBe(0);
    expect(await told({ name: 'Sorting', permissions: ['work-items:read'] })).toBe(1);
  });

  test('has a name that no other role has, regardless of case', async () => {
    const { owner } = await keys.organization();
    await make(owner);
    for (const name of ['triage', 'Owner']) {
      expect(await codeOf(keys.call('roles.create', { name, permissions: ['work-items:read'] }, owner))).toBe(
        'CONFLICT',
      );
    }
  });

  test('cannot have what its maker lacks, nor be changed, given or deleted by somebody who lacks it', async () => {
    const { owner } = await keys.organization();
    const role = await make(owner);
    const { key } = await keys.call('keys.create', { name: 'Users', permissions: ['users:write'] }, owner);
    const weak = await keys.identityOf(key);
    const tries = [
      make(weak),
      keys.call('roles.update', { id: role.id, name: 'X' }, weak),
      keys.call('roles.delete', { id: role.id }, weak),
      keys.call('users.create', { email: 'eve@example.com', name: 'Eve', role: role.id }, weak),
    ];
    expect(await Promise.all(tries.map(codeOf))).toEqual(Array(tries.length).fill('PERMISSION_DENIED'));
  });

  test('that somebody has cannot be deleted, also when both happen at once', async () => {
    const { owner } = await keys.organization();
    for (let round = 0; round < 5; round++) {
      const role = await make(owner);
      const email = `${uuidv7()}@example.com`;
      const [given, deleted] = await Promise.all([
        codeOf(keys.call('users.create', { email, name: 'Bob', role: role.id }, owner)),
        codeOf(keys.call('roles.delete', { id: role.id }, owner)),
      ]);
      expect([given, deleted]).toContainEqual('ok');
      expect(given === 'ok' && deleted === 'ok').toBe(false);
      if (deleted !== 'ok') {
        const { users } = await keys.call('users.list', {}, owner);
        const bob = users.find((user) => user.email === email);
        await keys.call('users.update', { id: bob?.id as string, role: 'viewer' }, owner);
        expect(await codeOf(keys.call('roles.delete', { id: role.id }, owner))).toBe('ok');
      }
    }
  });

  test('that only erased users have can be deleted: nobody could give them another one', async () => {
    const { owner } = await keys.organization();
    const role = await make(owner);
    const add = (name: string) =>
      keys.call('users.create', { email: `${name}@example.com`, name, role: role.id }, owner);
    const [bob, eve] = [await add('bob'), await add('eve')];
    for (const { id } of [bob, eve]) await keys.call('users.update', { id, disabled: true }, owner);
    await keys.call('users.erase', { id: bob.id }, owner);
    const refused = keys.call('roles.delete', { id: role.id }, owner);
    await expect(refused).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringMatching(/^1 user has /) });
    await keys.call('users.erase', { id: eve.id }, owner);
    await keys.call('roles.delete', { id: role.id }, owner);
    const { users } = await keys.call('users.list', {}, owner);
    expect(users.map((user) => user.role)).toEqual(['viewer', 'viewer', 'owner']);
  });

  test('is one of at most fifty, and the built-in ones cannot be changed', async () => {
    const { owner } = await keys.organization();
    for (let i = 0; i < MAX_CUSTOM_ROLES; i++) await make(owner, { ...triage, name: `Role ${i}` });
    expect(await codeOf(make(owner))).toBe('CONFLICT');
    expect(await codeOf(keys.call('roles.update', { id: 'viewer', name: 'X' }, owner))).toBe('CONFLICT');
    expect(await codeOf(keys.call('roles.delete', { id: 'viewer' }, owner))).toBe('CONFLICT');
    expect(await codeOf(keys.call('roles.delete', { id: uuidv7() }, owner))).toBe('NOT_FOUND');
    const nobody = keys.call('users.create', { email: 'eve@example.com', name: 'Eve', role: uuidv7() }, owner);
    expect(await codeOf(nobody)).toBe('VALIDATION_FAILED');
  });
});
