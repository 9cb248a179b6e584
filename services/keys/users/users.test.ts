import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf, startKeys } from '../testing.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

const bob = { email: 'bob@example.com', name: 'Bob', role: 'member' } as const;

describe('users', () => {
  test('have unique addresses within an organization, regardless of case', async () => {
    const { owner } = await keys.organization();
    const created = await keys.call('users.create', { ...bob, email: ' Bob@Example.com ' }, owner);
    expect(created).toMatchObject({ ...bob, disabled: false });
    expect(await codeOf(keys.call('users.create', bob, owner))).toBe('CONFLICT');
    const { owner: other } = await keys.organization();
    expect(await codeOf(keys.call('users.create', bob, other))).toBe('ok');
  });

  test('with the same address, added at once: only one is', async () => {
    const { owner } = await keys.organization();
    const codes = await Promise.all(Array.from({ length: 10 }, () => codeOf(keys.call('users.create', bob, owner))));
    expect(codes.toSorted()).toEqual([...Array(9).fill('CONFLICT'), 'ok']);
  });

  test('are listed newest first, page by page, and only those of the organization', async () => {
    const { owner, user } = await keys.organization();
    await keys.organization();
    const added = [];
    for (let i = 0; i < 4; i++) {
      added.unshift(await keys.call('users.create', { ...bob, email: `bob${i}@example.com` }, owner));
    }
    const pages = [1, 2, 3, 4].map((page) => keys.call('users.list', { page, limit: 2 }, owner));
    const lists = await Promise.all(pages);
    expect(lists.flatMap((list) => list.users)).toEqual(
      [...added, user].map((each) => ({ ...each, invitation: null })),
    );
    expect(lists.map(({ pagination }) => pagination)).toEqual(
      [1, 2, 3, 4].map((page) => ({ page, limit: 2, total: 5, totalPages: 3 })),
    );

    // A single page is not counted as well.
    const queries: string[] = [];
    mongoose.set('debug', (collection: string, method: string) => void queries.push(`${collection}.${method}`));
    const { pagination } = await keys.call('users.list', { limit: 5 }, owner);
    expect(pagination).toEqual({ page: 1, limit: 5, total: 5, totalPages: 1 });
    expect(queries).not.toContain('users.countDocuments');
    await keys.call('users.list', { limit: 4 }, owner);
    mongoose.set('debug', false);
    expect(queries).toContain('users.countDocuments');
  });

  test('are limited to projects as they are added, unless they are owners or admins', async () => {
    const { owner } = await keys.organization();
    const projects = [uuidv7()];
    const limited = await keys.call('users.create', { ...bob, projects }, owner);
    expect(limited.projects).toEqual(projects);
    const { key } = await keys.call('keys.create', { name: 'Bob', userId: limited.id }, owner);
    expect((await keys.identityOf(key)).projects).toEqual(projects);
    const admin = { ...bob, email: 'admin@example.com', role: 'admin' as const, projects };
    expect(await codeOf(keys.call('users.create', admin, owner))).toBe('CONFLICT');
  });

  test('who may see none of a limited caller’s projects are nobody to it, by whatever name', async () => {
    const { owner } = await keys.organization();
    const [own, other] = [uuidv7(), uuidv7()];
    const add = (name: string, projects: string[] | null) =>
      keys.call('users.create', { ...bob, name, email: `${name}@example.com`, projects }, owner);
    const hidden = await add('hidden', [other]);
    const shown = [await add('beside', [own, other]), await add('everywhere', null)];
    const names = [hidden, ...shown].flatMap(({ id, name, email }) => [id, name, email, `@${name}`]);
    const found = async (caller: typeof owner) => {
      const { users } = await keys.call('users.named', { names }, caller);
      return [...new Set(users.map(({ id }) => id))];
    };
    expect(await found({ ...owner, projects: [own] })).toEqual(shown.map(({ id }) => id));
    expect(await found(owner)).toHaveLength(3);
  });

  test('keep what is not given when they are changed', async () => {
    const { owner } = await keys.organization();
    const created = await keys.call('users.create', bob, owner);
    const changed = await keys.call('users.update', { id: created.id, role: 'viewer' }, owner);
    expect(changed).toEqual({ ...created, role: 'viewer', updatedAt: expect.any(String) });
    expect(Date.parse(changed.updatedAt)).toBeGreaterThanOrEqual(Date.parse(created.updatedAt));
  });

  test('that were erased stay as they are: what they did from then on would be erased from the audit log, too', async () => {
    const { owner } = await keys.organization();
    const { id } = await keys.call('users.create', bob, owner);
    await keys.call('users.update', { id, disabled: true }, owner);
    const erased = await keys.call('users.erase', { id }, owner);
    for (const change of [{ disabled: false }, { name: 'Bob' }, { role: 'owner' }]) {
      expect(await codeOf(keys.call('users.update', { id, ...change }, owner))).toBe('CONFLICT');
    }
    expect(await keys.call('users.update', { id, disabled: true }, owner)).toEqual(erased);
    // Their address is free again.
    expect(await keys.call('users.create', bob, owner)).toMatchObject({ email: bob.email, disabled: false });
  });

  test('are erased by no owner who is one no more by then', async () => {
    const { owner } = await keys.organization();
    const { id } = await keys.call('users.create', bob, owner);
    await keys.call('users.update', { id, disabled: true }, owner);
    const other = await keys.call('users.create', { email: 'eve@example.com', name: 'Eve', role: 'owner' }, owner);
    const { key } = await keys.call('keys.create', { name: 'Eve', userId: other.id }, owner);
    const eve = await keys.identityOf(key);
    await keys.call('users.update', { id: other.id, role: 'admin' }, owner);
    expect(await codeOf(keys.call('users.erase', { id }, eve))).toBe('PERMISSION_DENIED');
    expect(await codeOf(keys.call('users.erase', { id }, owner))).toBe('ok');
  });

  test('of another organization cannot be changed, and look the same as nonexistent ones', async () => {
    const { owner } = await keys.organization();
    const { user: stranger } = await keys.organization();
    expect(await codeOf(keys.call('users.update', { id: stranger.id, name: 'X' }, owner))).toBe('NOT_FOUND');
    expect(await codeOf(keys.call('users.update', { id: uuidv7(), name: 'X' }, owner))).toBe('NOT_FOUND');
  });

  test('that may read the audit log are made and acted as by nobody who may not', async () => {
    const { owner, user: first } = await keys.organization();
    const { id: userId } = await keys.call('users.create', { ...bob, role: 'admin' }, owner);
    const { key } = await keys.call('keys.create', { name: 'Bob', userId }, owner);
    const admin = await keys.identityOf(key);
    const eve = { email: 'eve@example.com', name: 'Eve' };
    expect(await codeOf(keys.call('users.create', { ...eve, role: 'owner' }, admin))).toBe('PERMISSION_DENIED');
    expect(await codeOf(keys.call('users.update', { id: userId, role: 'owner' }, admin))).toBe('PERMISSION_DENIED');
    // An operation that is for owners goes by the role, which a key has from its user.
    expect(await codeOf(keys.call('keys.create', { name: 'Ada', userId: first.id }, admin))).toBe('PERMISSION_DENIED');
  });

  test('are acted as by keys of others, for owners and admins only of those who may do as much', async () => {
    const { owner } = await keys.organization();
    const permissions = ['api-keys:write', 'users:write', 'feedback:write'] as const;
    const script = await keys.identityOf(
      (await keys.call('keys.create', { name: 'Script', permissions: [...permissions] }, owner)).key,
    );
    const { id: member } = await keys.call('users.create', bob, owner);
    const { id: admin } = await keys.call('users.create', { ...bob, email: 'eve@example.com', role: 'admin' }, owner);
    const keyOf = (userId: string) =>
      codeOf(keys.call('keys.create', { name: 'CI', userId, permissions: ['feedback:write'] }, script));
    expect(await keyOf(member)).toBe('ok');
    expect(await keyOf(admin)).toBe('PERMISSION_DENIED');
  });
});
