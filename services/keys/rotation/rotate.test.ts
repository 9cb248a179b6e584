import { hash } from 'node:crypto';
import type { OperationError } from '@worktrack/contracts/errors';
import { prefixOf, SESSION_MARK } from '@worktrack/contracts/keys/key-format';
import { newKey } from '@worktrack/runtime/process/new-key';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KeyModel } from '../keys/keys.model.ts';
import { codeOf, copiesOf, startKeys } from '../testing.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

const presented = (value: string) => ({ prefix: prefixOf(value), digest: hash('sha256', value) });
const DAY_MS = 86_400_000;
const RATE = { requests: 100, windowSeconds: 60 };

describe('a rotation', () => {
  test('answers with a key that has all of the old one, which works until the overlap ends', async () => {
    const { owner, user } = await keys.organization();
    const old = await keys.call(
      'keys.create',
      { name: 'CI', permissions: ['work-items:read'], rateLimit: RATE, expiresInDays: 30 },
      owner,
    );
    const before = Date.now();
    const made = await keys.call('keys.rotate', { id: old.id, overlapSeconds: 60 }, owner);
    const { name, permissions, rateLimit, expiresAt, projects } = old;
    expect(made).toMatchObject({
      name,
      permissions,
      rateLimit,
      expiresAt,
      projects,
      userId: user.id,
      replacedBy: null,
    });
    expect(made.id).not.toBe(old.id);
    const listed = (await keys.call('keys.list', {}, owner)).find(({ id }) => id === old.id);
    expect(listed?.replacedBy).toBe(made.id);
    expect(Date.parse(listed?.expiresAt as string) - before).toBeLessThan(62_000);
    expect((await keys.identityOf(made.key)).rotatedFrom).toBe(old.id);
    expect((await keys.identityOf(old.key)).key.id).toBe(old.id);
  });

  test('without an overlap ends the old key at once', async () => {
    const { owner } = await keys.organization();
    const old = await keys.call('keys.create', { name: 'CI' }, owner);
    await keys.call('keys.rotate', { id: old.id, overlapSeconds: 0 }, owner);
    expect(await keys.verify(old.key as string)).toBeUndefined();
    expect(await codeOf(keys.call('keys.rotate', { id: old.id }, owner))).toBe('NOT_FOUND');
  });

  test('never lets the old key outlive its own end', async () => {
    const { owner } = await keys.organization();
    const old = await keys.call('keys.create', { name: 'CI', expiresInDays: 1 }, owner);
    await keys.call('keys.rotate', { id: old.id, overlapSeconds: 604_800 }, owner);
    const listed = (await keys.call('keys.list', {}, owner)).find(({ id }) => id === old.id);
    expect(listed?.expiresAt).toBe(old.expiresAt);
  });

  test('of one key at once by many happens once, and the others learn what replaced it', async () => {
    const { owner } = await keys.organization();
    const old = await keys.call('keys.create', { name: 'CI' }, owner);
    const codes = await Promise.all(
      Array.from({ length: 6 }, () => codeOf(keys.call('keys.rotate', { id: old.id }, owner))),
    );
    expect(codes.toSorted()).toEqual([...Array(5).fill('CONFLICT'), 'ok']);
  });

  test('shows the new key once: a replay has null', async () => {
    const { owner } = await keys.organization();
    const old = await keys.call('keys.create', { name: 'CI' }, owner);
    const idempotencyKey = uuidv7();
    const made = await keys.call('keys.rotate', { id: old.id }, owner, idempotencyKey);
    expect(await keys.call('keys.rotate', { id: old.id }, owner, idempotencyKey)).toEqual({ ...made, key: null });
  });

  test('of oneself needs no permission, and leaves the caller with what it had', async () => {
    const { owner } = await keys.organization();
    const old = await keys.call('keys.create', { name: 'CI', permissions: ['work-items:read'] }, owner);
    const made = await keys.call('keys.rotateSelf', {}, await keys.identityOf(old.key));
    expect((await keys.identityOf(made.key)).permissions).toEqual(['work-items:read']);
    const again = await keys.call('keys.rotateSelf', {}, await keys.identityOf(made.key));
    expect((await keys.identityOf(again.key)).rotatedFrom).toBe(old.id);
  });

  test.each<[why: string, of: object, by: object]>([
    ['has more permissions', {}, { permissions: ['api-keys:write'] }],
    ['lasts longer', {}, { expiresInDays: 5 }],
    ['has a higher rate', { rateLimit: { requests: 0, windowSeconds: 60 } }, { rateLimit: RATE }],
  ])('of a key that %s than the caller is refused', async (_, of, by) => {
    const { owner } = await keys.organization();
    const key = await keys.call('keys.create', { name: 'Strong', ...of }, owner);
    const maker = await keys.call('keys.create', { name: 'Weak', ...by }, owner);
    const rotated = keys.call('keys.rotate', { id: key.id }, await keys.identityOf(maker.key));
    expect(await codeOf(rotated)).toBe('PERMISSION_DENIED');
  });

  test("of another user's key needs users:write", async () => {
    const { owner } = await keys.organization();
    const bob = await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: 'admin' }, owner);
    const key = await keys.call(
      'keys.create',
      { name: 'Bob', userId: bob.id, permissions: ['work-items:read'] },
      owner,
    );
    const maker = await keys.call(
      'keys.create',
      { name: 'Keys', permissions: ['work-items:read', 'api-keys:write'] },
      owner,
    );
    const rotated = keys.call('keys.rotate', { id: key.id }, await keys.identityOf(maker.key));
    await expect(rotated).rejects.toMatchObject({ code: 'PERMISSION_DENIED', message: /users:write/ });
  });

  test("of an owner's key needs all that owners hold, for the new one acts as the owner", async () => {
    const { owner } = await keys.organization();
    const bob = await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: 'admin' }, owner);
    const weak = await keys.call('keys.create', { name: 'Weak', permissions: ['feedback:write'] }, owner);
    const { key } = await keys.call('keys.create', { name: 'Bob', userId: bob.id }, owner);
    const rotated = keys.call('keys.rotate', { id: weak.id }, await keys.identityOf(key));
    await expect(rotated).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: /owner.*audit:read/,
      extra: { details: [{ path: 'id' }] },
    });
    expect((await keys.call('keys.rotate', { id: weak.id }, owner)).permissions).toEqual(['feedback:write']);
  });

  test('again and again has an end: 50 keys of a line still work or are less than a day old', async () => {
    const { owner } = await keys.organization();
    const { id, key } = await keys.call('keys.create', { name: 'CI', permissions: ['work-items:read'] }, owner);
    let last = await keys.identityOf(key);
    const rotate = () => keys.call('keys.rotateSelf', { overlapSeconds: 0 }, last);
    for (let i = 0; i < 2; i++) last = await keys.identityOf((await rotate()).key);
    const replaced = await KeyModel.findOne({ 'rotatedFrom.id': id, replacedBy: last.key.id }).lean();
    await KeyModel.insertMany(copiesOf(replaced, 48));
    const refused = { code: 'CONFLICT', extra: { reason: 'limit' } };
    await expect(rotate()).rejects.toMatchObject(refused);
    const ofLine = { 'rotatedFrom.id': id };
    await KeyModel.updateMany(ofLine, { $set: { createdAt: new Date(Date.now() - DAY_MS), expiresAt: null } });
    await expect(rotate()).rejects.toMatchObject(refused);
    await KeyModel.updateMany(
      { ...ofLine, replacedBy: mongoose.trusted({ $ne: null }) },
      { $set: { expiresAt: new Date() } },
    );
    expect((await rotate()).permissions).toEqual(['work-items:read']);
  });
});

describe('an old key', () => {
  const toldOf = async (id: string) =>
    (await mongoose.connection.collection('outbox').find({ type: 'key.used_after_rotation' }).toArray()).filter(
      (event) => event.subject.id === id,
    ).length;

  test('that is used in the last hour of its overlap, or refused after it, is reported once a day', async () => {
    const { owner } = await keys.organization();
    const old = await keys.call('keys.create', { name: 'CI' }, owner);
    await keys.call('keys.rotate', { id: old.id, overlapSeconds: 2 * 3_600 }, owner);
    const useAt = (ms: number) => ({
      uses: [{ organizationId: owner.organization.id, keyId: old.id, at: new Date(Date.now() + ms).toISOString() }],
    });
    await keys.call('keys.recordUse', useAt(0));
    expect(await toldOf(old.id)).toBe(0);
    const inLastHour = useAt(90 * 60_000);
    await Promise.all(Array.from({ length: 4 }, () => keys.call('keys.recordUse', inLastHour)));
    await keys.call('keys.recordUse', useAt(100 * 60_000));
    expect(await toldOf(old.id)).toBe(1);
    await keys.call('keys.recordUse', useAt(DAY_MS + 90 * 60_000));
    expect(await toldOf(old.id)).toBe(2);

    const ended = await keys.call('keys.create', { name: 'Ended' }, owner);
    await keys.call('keys.rotate', { id: ended.id, overlapSeconds: 0 }, owner);
    for (let i = 0; i < 3; i++) expect(await keys.verify(ended.key as string)).toBeUndefined();
    expect(await toldOf(ended.id)).toBe(1);
  });

  test('that opens a session after its replacement opens one of its successor', async () => {
    const { owner } = await keys.organization();
    const old = await keys.call('keys.create', { name: 'CI' }, owner);
    const open = async () => {
      const token = newKey(SESSION_MARK);
      await keys.call('sessions.open', { token: presented(token), by: presented(old.key as string) });
      return token;
    };
    const before = await open();
    const made = await keys.call('keys.rotate', { id: old.id }, owner);
    const after = await open();
    await keys.call('keys.revoke', { id: old.id }, owner);
    for (const token of [before, after]) expect((await keys.verify(token))?.session?.keyId).toBe(made.id);
  });

  test('takes along every session that is opened with the old key meanwhile', async () => {
    const { owner } = await keys.organization();
    for (let round = 0; round < 5; round++) {
      const old = await keys.call('keys.create', { name: 'CI' }, owner);
      const tokens = Array.from({ length: 4 }, () => newKey(SESSION_MARK));
      const opening = tokens.map((token) =>
        keys.call('sessions.open', { token: presented(token), by: presented(old.key as string) }),
      );
      const [made] = await Promise.all([keys.call('keys.rotate', { id: old.id }, owner), ...opening]);
      const sessions = await Promise.all(tokens.map(keys.verify));
      expect(new Set(sessions.map((identity) => identity?.session?.keyId))).toEqual(new Set([made.id]));
    }
  });
});

describe('a key or user that is limited to projects', () => {
  const A = uuidv7();
  const B = uuidv7();

  test('makes keys with a part of its projects, its own by default, and never more', async () => {
    const { owner } = await keys.organization();
    const { key } = await keys.call('keys.create', { name: 'A and B', projects: [A, B] }, owner);
    const limited = await keys.identityOf(key);
    expect(limited.projects).toEqual([A, B]);
    expect((await keys.call('keys.create', { name: 'Same' }, limited)).projects).toEqual([A, B]);
    expect((await keys.call('keys.create', { name: 'Part', projects: [A] }, limited)).projects).toEqual([A]);
    expect(await codeOf(keys.call('keys.create', { name: 'All', projects: null }, limited))).toBe('PERMISSION_DENIED');
    const other = keys.call('keys.create', { name: 'Other', projects: [uuidv7()] }, limited);
    expect(await codeOf(other)).toBe('VALIDATION_FAILED');
  });

  test('lists, revokes and rotates none but itself', async () => {
    const { owner } = await keys.organization();
    const other = await keys.call('keys.create', { name: 'Other', projects: [A] }, owner);
    const own = await keys.call('keys.create', { name: 'Own', projects: [A] }, owner);
    const limited = await keys.identityOf(own.key);
    expect((await keys.call('keys.list', {}, limited)).map(({ id }) => id)).toEqual([own.id]);
    expect(await codeOf(keys.call('keys.revoke', { id: other.id }, limited))).toBe('NOT_FOUND');
    expect(await codeOf(keys.call('keys.rotate', { id: other.id }, limited))).toBe('NOT_FOUND');
    expect((await keys.call('keys.rotate', { id: own.id }, limited)).projects).toEqual([A]);
  });

  test('makes no key for another user, whether there is one or not', async () => {
    const { owner } = await keys.organization();
    const bob = await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: 'viewer' }, owner);
    const own = await keys.call('keys.create', { name: 'Own', projects: [A] }, owner);
    const limited = await keys.identityOf(own.key);
    const answers = [bob.id, uuidv7()].map(async (userId) => {
      const error = await keys.call('keys.create', { name: 'X', userId }, limited).catch((refusal: unknown) => refusal);
      return { code: (error as OperationError).code, message: (error as OperationError).message };
    });
    const [known, unknown] = await Promise.all(answers);
    expect(known?.code).toBe('PERMISSION_DENIED');
    expect(unknown).toEqual(known);
  });

  test('as the user of a session, neither rotates nor revokes the key that the session stems from, which reaches further', async () => {
    const { owner } = await keys.organization();
    const permissions = ['work-items:read', 'users:read', 'users:write', 'api-keys:write'] as const;
    const team = await keys.call('roles.create', { name: 'Team', permissions: [...permissions] }, owner);
    const bob = await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: team.id }, owner);
    const from = await keys.call('keys.create', { name: 'From', permissions: [...permissions] }, owner);
    const { code } = await keys.call('sessions.createCode', { userId: bob.id }, await keys.identityOf(from.key));
    const token = newKey(SESSION_MARK);
    await keys.call('sessions.open', { token: presented(token), by: presented(code as string) });
    await keys.call('users.update', { id: bob.id, projects: [A] }, owner);
    const session = await keys.identityOf(token);
    expect(session.projects).toEqual([A]);
    for (const name of ['keys.rotate', 'keys.revoke'] as const) {
      await expect(keys.call(name, { id: from.id }, session)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
        message: /limited to projects/,
      });
    }
    expect(await keys.verify(from.key as string)).toBeDefined();
  });

  test('sees what key and user allow at that moment', async () => {
    const { owner } = await keys.organization();
    const bob = await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: 'member' }, owner);
    const { key } = await keys.call('keys.create', { name: 'Bob', userId: bob.id, projects: [A, B] }, owner);
    await keys.call('users.update', { id: bob.id, projects: [B] }, owner);
    expect((await keys.identityOf(key)).projects).toEqual([B]);
    await keys.call('users.update', { id: bob.id, projects: null }, owner);
    expect((await keys.identityOf(key)).projects).toEqual([A, B]);
  });
});

test('owners and admins cannot be limited, nor can the limited become one', async () => {
  const { owner, user } = await keys.organization();
  const limit = { projects: [uuidv7()] };
  expect(await codeOf(keys.call('users.update', { id: user.id, ...limit }, owner))).toBe('CONFLICT');
  const bob = await keys.call('users.create', { email: 'bob@example.com', name: 'Bob', role: 'member' }, owner);
  expect((await keys.call('users.update', { id: bob.id, ...limit }, owner)).projects).toEqual(limit.projects);
  expect(await codeOf(keys.call('users.update', { id: bob.id, role: 'admin' }, owner))).toBe('CONFLICT');
  expect(await codeOf(keys.call('users.update', { id: bob.id, role: 'admin', projects: null }, owner))).toBe('ok');
});
