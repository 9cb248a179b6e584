import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outboxOf, toldBy } from '../../test/support/outbox.ts';
import { codeOf, startKeys } from './testing.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

describe('what is done to users and keys is reported as an event', () => {
  test('for an organization, its first user and key', async () => {
    const { organization, user, apiKey } = await keys.organization();
    const events = await outboxOf(organization.id);
    expect(events).toMatchObject([
      {
        type: 'user.created',
        actor: null,
        subject: { kind: 'user', id: user.id },
        revision: 1,
        data: { email: 'ada@example.com', name: user.name, role: 'owner' },
      },
      {
        type: 'key.created',
        actor: null,
        subject: { kind: 'key', id: apiKey.id },
        revision: 1,
        data: { userId: user.id },
      },
    ]);
  });

  test('for a user: its creation, and each change, but not what changes nothing or is refused', async () => {
    const { organization, owner } = await keys.organization();
    const told = (act: () => Promise<unknown>) => toldBy(organization.id, act);
    const [userId, keyId] = [owner.user.id, owner.key.id];
    let id = '';
    const created = await told(async () => {
      ({ id } = await keys.call('users.create', { email: 'b@example.com', name: 'B', role: 'member' }, owner));
    });
    expect(created).toMatchObject([
      { type: 'user.created', actor: { userId, keyId }, subject: { kind: 'user', id }, data: { role: 'member' } },
    ]);
    const updated = await told(async () => {
      await keys.call('users.update', { id, role: 'viewer' }, owner);
      await keys.call('users.update', { id, role: 'viewer', disabled: true }, owner);
      await keys.call('users.update', { id, disabled: true }, owner);
    });
    expect(updated).toMatchObject([
      { type: 'user.updated', revision: 2, data: { changes: { role: { from: 'member', to: 'viewer' } } } },
      { type: 'user.updated', revision: 3, data: { changes: { disabled: { from: false, to: true } } } },
    ]);
    expect(updated.map(({ data }) => Object.keys(data.changes as object))).toEqual([['role'], ['disabled']]);
    expect(
      await told(async () => {
        await codeOf(keys.call('users.update', { id: userId, disabled: true }, owner));
        await codeOf(keys.call('users.create', { email: 'b@example.com', name: 'B', role: 'member' }, owner));
      }),
    ).toEqual([]);
  });

  test('for a key: without the key, its hash or its prefix; and its revocation once', async () => {
    const { organization, owner } = await keys.organization();
    let made = { id: '', key: null as string | null, prefix: '' };
    const idempotencyKey = 'the same';
    const create = () =>
      keys.call('keys.create', { name: 'CI', permissions: ['projects:read'], expiresInDays: 3 }, owner, idempotencyKey);
    const created = await toldBy(organization.id, async () => {
      made = await create();
      await create();
    });
    expect(created).toMatchObject([
      {
        type: 'key.created',
        subject: { kind: 'key', id: made.id },
        revision: 1,
        data: { name: 'CI', permissions: ['projects:read'], userId: owner.user.id, expiresAt: expect.any(String) },
      },
    ]);
    const revoked = await toldBy(organization.id, () =>
      Promise.all([1, 2, 3].map(() => keys.call('keys.revoke', { id: made.id }, owner))),
    );
    expect(revoked).toMatchObject([
      { type: 'key.revoked', subject: { id: made.id }, revision: 2, data: { name: 'CI' } },
    ]);
    const all = JSON.stringify(await outboxOf(organization.id));
    expect(made.key).toEqual(expect.any(String));
    for (const secret of [made.key as string, made.prefix, 'hash']) expect(all).not.toContain(secret);
  });
});
