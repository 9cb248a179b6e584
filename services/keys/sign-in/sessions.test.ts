import { hash } from 'node:crypto';
import type { Identity, Presented } from '@worktrack/contracts/keys/identity';
import { CODE_MARK, isWellFormedKey, prefixOf, SESSION_MARK } from '@worktrack/contracts/keys/key-format';
import { PERMISSIONS, ROLE_PERMISSIONS, type Role } from '@worktrack/contracts/permissions';
import { newKey } from '@worktrack/runtime/process/new-key';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loseReplyOfCommit } from '../../../test/support/lost-reply.ts';
import { auditedOf } from '../../../test/support/outbox.ts';
import { KeyModel } from '../keys/keys.model.ts';
import { SessionModel } from '../sessions/sessions.model.ts';
import { codeOf, copiesOf, startKeys } from '../testing.ts';
import { CodeModel } from './codes.model.ts';
import { MAX_ACTIVE_SESSIONS_PER_USER } from './open.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

const presented = (value: string): Presented => ({ prefix: prefixOf(value), digest: hash('sha256', value) });

/** @returns the token of the new session */
async function open(by: string, idempotencyKey?: string, token = newKey(SESSION_MARK)): Promise<string> {
  await keys.call('sessions.open', { token: presented(token), by: presented(by) }, undefined, idempotencyKey);
  return token;
}

async function code(of: Identity, userId?: string): Promise<string> {
  return (await keys.call('sessions.createCode', { userId }, of)).code as string;
}

async function colleague(owner: Identity, role: Role) {
  const user = await keys.call('users.create', { email: `${uuidv7()}@example.com`, name: 'Bob', role }, owner);
  const key = await keys.call('keys.create', { name: 'Bob', userId: user.id }, owner);
  return { user, key, identity: await keys.identityOf(key.key) };
}

interface Ended {
  readonly owner: Identity;
  readonly userId: string;
  readonly keyId: string;
  readonly sessionIds: readonly string[];
}

const ENDS: [string, (of: Ended) => Promise<unknown>][] = [
  ['with its key', ({ owner, keyId }) => keys.call('keys.revoke', { id: keyId }, owner)],
  ['with its user', ({ owner, userId }) => keys.call('users.update', { id: userId, disabled: true }, owner)],
  [
    'when it is ended',
    ({ owner, sessionIds }) => Promise.all(sessionIds.map((id) => keys.call('sessions.revoke', { id }, owner))),
  ],
  [
    'when it signs out',
    ({ owner, sessionIds }) =>
      Promise.all(sessionIds.map((id) => keys.call('sessions.close', { organizationId: owner.organization.id, id }))),
  ],
  [
    'when it expires',
    ({ sessionIds }) =>
      SessionModel.updateMany({ _id: mongoose.trusted({ $in: sessionIds }) }, { $set: { expiresAt: new Date() } }),
  ],
];

test('a key that signs nobody in any more is entered once a minute, however often it is tried', async () => {
  const { owner, organization } = await keys.organization();
  const { key, user } = await colleague(owner, 'member');
  const revoked = await keys.call('keys.create', { name: 'Old' }, owner);
  await keys.call('keys.revoke', { id: revoked.id }, owner);
  await keys.call('users.update', { id: user.id, disabled: true }, owner);
  const tries = [revoked.key, key.key].flatMap((each) => Array.from({ length: 4 }, () => open(each as string)));
  const codes = await Promise.all(tries.map(codeOf));
  expect(new Set(codes)).toEqual(new Set(['API_KEY_INVALID']));
  const deniedTo = async () =>
    (await auditedOf(organization.id)).filter(({ outcome }) => outcome === 'denied').map(({ actor }) => actor.id);
  expect((await deniedTo()).toSorted()).toEqual([revoked.id, key.id].toSorted());
  await KeyModel.updateOne({ _id: key.id }, { $set: { signInRefusedAt: new Date(Date.now() - 61_000) } });
  expect(await codeOf(open(key.key as string))).toBe('API_KEY_INVALID');
  expect((await deniedTo()).filter((id) => id === key.id)).toHaveLength(2);
});

describe('a session', () => {
  test('from a key speaks for its user with its permissions, under an id of its own, for twelve hours', async () => {
    const { owner, organization, user, apiKey } = await keys.organization();
    const token = await open(apiKey.key as string);
    const { items } = await keys.call('sessions.list', {}, owner);
    expect(items).toHaveLength(1);
    const [session] = items;
    expect(await keys.verify(token)).toEqual({
      user: { id: user.id, name: 'ada', email: 'ada@example.com', role: 'owner' },
      organization: { id: organization.id, name: 'Example' },
      permissions: PERMISSIONS,
      projects: null,
      key: { id: session?.id, name: 'First key', prefix: prefixOf(token) },
      session: { keyId: apiKey.id, expiresAt: session?.expiresAt },
    });
    const hours = (Date.parse(session?.expiresAt ?? '') - Date.parse(session?.createdAt ?? '')) / 3_600_000;
    expect(hours).toBeCloseTo(12, 3);
  });

  test('counts among the requests of its key, but that of another user apart, so that nobody uses up what others need', async () => {
    const { owner, apiKey } = await keys.organization();
    const { user } = await colleague(owner, 'viewer');
    const [own, others] = await Promise.all([open(await code(owner)), open(await code(owner, user.id))]);
    const countedAs = async (token: string) =>
      (await keys.call('identity.verify', presented(token))).verified?.countedAs;
    expect(await countedAs(own)).toBe(apiKey.prefix);
    expect(await countedAs(others)).toBe(`${apiKey.prefix}/${user.id}`);
    expect((await keys.verify(own))?.session).not.toHaveProperty('keyUserId');
    expect((await keys.verify(others))?.session).toMatchObject({ keyId: apiKey.id, keyUserId: owner.user.id });
    await keys.call('keys.rotate', { id: apiKey.id }, owner);
    expect(await countedAs(others)).toBe(`${apiKey.prefix}/${user.id}`);
  });

  test('is started once per call, however often that is delivered', async () => {
    const { owner } = await keys.organization();
    const [made, token, idempotencyKey] = [await code(owner), newKey(SESSION_MARK), uuidv7()];
    for (let delivery = 0; delivery < 3; delivery++) await open(made, idempotencyKey, token);
    expect((await keys.call('sessions.list', {}, owner)).items).toHaveLength(1);
    expect(await keys.verify(token)).toBeDefined();
  });

  test('from a key is started once per call, too, and answered though the reply to its commit was lost', async () => {
    const { owner, apiKey } = await keys.organization();
    const [token, idempotencyKey] = [newKey(SESSION_MARK), uuidv7()];
    loseReplyOfCommit();
    for (let delivery = 0; delivery < 3; delivery++) await open(apiKey.key as string, idempotencyKey, token);
    expect((await keys.call('sessions.list', {}, owner)).items).toHaveLength(1);
    expect(await keys.verify(token)).toBeDefined();
  });

  test('ends no later than its key', async () => {
    const { owner } = await keys.organization();
    const made = await keys.call('keys.create', { name: 'CI', expiresInDays: 1 }, owner);
    const soon = new Date(Date.now() + 60_000);
    await KeyModel.updateOne({ _id: made.id }, { $set: { expiresAt: soon } });
    const token = await open(made.key as string);
    expect((await keys.verify(token))?.session?.expiresAt).toBe(soon.toISOString());
  });

  test.each(ENDS)('is over %s', async (_what, end) => {
    const { owner } = await keys.organization();
    const { user, key } = await colleague(owner, 'member');
    const tokens = [await open(key.key as string), await open(await code(await keys.identityOf(key.key)))];
    const ids = await Promise.all(tokens.map(async (token) => (await keys.verify(token))?.key.id as string));
    await end({ owner, userId: user.id, keyId: key.id, sessionIds: ids });
    for (const token of tokens) expect(await keys.verify(token)).toBeUndefined();
  });

  test('may do what its key and its user may do at this moment', async () => {
    const { owner } = await keys.organization();
    const { user, key } = await colleague(owner, 'admin');
    const token = await open(key.key as string);
    await keys.call('users.update', { id: user.id, role: 'viewer' }, owner);
    expect((await keys.verify(token))?.permissions).toEqual(ROLE_PERMISSIONS.viewer);
    await keys.call('users.update', { id: user.id, role: 'admin' }, owner);
    expect((await keys.verify(token))?.permissions).toEqual(ROLE_PERMISSIONS.admin);
  });

  test('creates keys that last as long as its own key', async () => {
    const { apiKey } = await keys.organization();
    const token = await open(apiKey.key as string);
    const made = await keys.call('keys.create', { name: 'By hand' }, await keys.identityOf(token));
    expect(made.expiresAt).toBeNull();
  });

  test('is stored without its token, and a code without the code itself', async () => {
    const { owner } = await keys.organization();
    const made = await code(owner);
    const token = await open(made);
    const unused = await code(owner);
    const stored: string[] = [];
    for (const collection of (await mongoose.connection.db?.collections()) ?? []) {
      stored.push(JSON.stringify(await collection.find().toArray()));
    }
    expect(stored.join()).toContain(prefixOf(token));
    for (const secret of [token, made, unused]) {
      expect(stored.join()).not.toContain(secret.slice(12));
      expect(stored.join()).not.toContain(hash('sha256', secret));
    }
  });

  test('is refused if a user has too many, until one has ended', async () => {
    const { owner, user, apiKey } = await keys.organization();
    await open(apiKey.key as string);
    const one = await SessionModel.findOne({ userId: user.id }).lean();
    await SessionModel.insertMany(copiesOf(one, MAX_ACTIVE_SESSIONS_PER_USER - 1));
    expect(await codeOf(open(apiKey.key as string))).toBe('CONFLICT');
    await keys.call('sessions.revoke', { id: one?._id as string }, owner);
    const codes = await Promise.all(Array.from({ length: 8 }, () => codeOf(open(apiKey.key as string))));
    expect(codes.toSorted()).toEqual([...Array(7).fill('CONFLICT'), 'ok']);
  });

  test('of somebody who holds more is ended only by a key that holds as much, or by itself', async () => {
    const { owner, apiKey } = await keys.organization();
    const session = await keys.identityOf(await open(apiKey.key as string));
    const narrow = await keys.call('keys.create', { name: 'CI', permissions: ['api-keys:write'] }, owner);
    const revoke = (by: Identity) => codeOf(keys.call('sessions.revoke', { id: session.key.id }, by));
    expect(await revoke(await keys.identityOf(narrow.key))).toBe('PERMISSION_DENIED');
    expect(await revoke(session)).toBe('ok');
  });
});

describe('a code', () => {
  test('works once', async () => {
    const { owner } = await keys.organization();
    const made = await code(owner);
    expect(isWellFormedKey(made, CODE_MARK)).toBe(true);
    const token = await open(made);
    expect((await keys.verify(token))?.session?.keyId).toBe(owner.key.id);
    expect(await codeOf(open(made))).toBe('API_KEY_INVALID');
  });

  test('used by 20 at once signs in one', async () => {
    const { owner } = await keys.organization();
    const made = await code(owner);
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(open(made))));
    expect(codes.filter((each) => each === 'ok')).toHaveLength(1);
    expect((await keys.call('sessions.list', {}, owner)).items).toHaveLength(1);
  });

  test('is valid for ten minutes', async () => {
    const { owner } = await keys.organization();
    const { code: made, expiresAt } = await keys.call('sessions.createCode', {}, owner);
    expect((Date.parse(expiresAt) - Date.now()) / 60_000).toBeCloseTo(10, 1);
    await CodeModel.updateOne({ prefix: prefixOf(made as string) }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    expect(await codeOf(open(made as string))).toBe('API_KEY_INVALID');
  });

  test('is shown once, and is neither a key nor a session', async () => {
    const { owner } = await keys.organization();
    const idempotencyKey = uuidv7();
    const made = await keys.call('sessions.createCode', {}, owner, idempotencyKey);
    expect(await keys.call('sessions.createCode', {}, owner, idempotencyKey)).toEqual({ ...made, code: null });
    expect(await keys.verify(made.code as string)).toBeUndefined();
    const token = await open(made.code as string);
    expect(await codeOf(open(token))).toBe('API_KEY_INVALID');
  });

  test('is worthless once its key is revoked', async () => {
    const { owner } = await keys.organization();
    const { key, identity } = await colleague(owner, 'member');
    const made = await code(identity);
    await keys.call('keys.revoke', { id: key.id }, owner);
    expect(await codeOf(open(made))).toBe('API_KEY_INVALID');
  });

  test('signs another user in only if the maker holds users:write and everything that the user may do', async () => {
    const { owner } = await keys.organization();
    const { user: member } = await colleague(owner, 'member');
    const { user: admin } = await colleague(owner, 'admin');
    const narrow = async (permissions: (typeof PERMISSIONS)[number][]) =>
      keys.identityOf((await keys.call('keys.create', { name: 'Narrow', permissions }, owner)).key);
    const some = await narrow([...ROLE_PERMISSIONS.member, 'users:write']);
    expect(await codeOf(code(some, member.id))).toBe('ok');
    expect(await codeOf(code(some, admin.id))).toBe('PERMISSION_DENIED');
    expect(await codeOf(code(await narrow([...ROLE_PERMISSIONS.member]), member.id))).toBe('PERMISSION_DENIED');
    const { owner: stranger } = await keys.organization();
    expect(await codeOf(code(stranger, member.id))).toBe('NOT_FOUND');
    await keys.call('users.update', { id: member.id, disabled: true }, owner);
    expect(await codeOf(code(owner, member.id))).toBe('CONFLICT');
  });

  test('for another user grants no more than its maker holds, now and later, and ends with the maker', async () => {
    const { owner } = await keys.organization();
    const { user: bob } = await colleague(owner, 'viewer');
    const { user: admin, identity } = await colleague(owner, 'admin');
    const token = await open(await code(identity, bob.id));
    expect(await keys.verify(token)).toMatchObject({ user: { id: bob.id }, permissions: ROLE_PERMISSIONS.viewer });
    await keys.call('users.update', { id: bob.id, role: 'owner' }, owner);
    await keys.call('users.update', { id: admin.id, role: 'member' }, owner);
    expect((await keys.verify(token))?.permissions).toEqual(ROLE_PERMISSIONS.member);
    await keys.call('users.update', { id: admin.id, disabled: true }, owner);
    expect(await keys.verify(token)).toBeUndefined();
  });
});

describe('the list of sessions', () => {
  test('has the active ones, newest first, page by page; and the ended ones if asked for', async () => {
    const { owner, apiKey } = await keys.organization();
    const tokens: string[] = [];
    for (let i = 0; i < 5; i++) tokens.push(await open(apiKey.key as string));
    const prefixes = tokens.map(prefixOf).reverse();
    const first = await keys.call('sessions.list', { limit: 3 }, owner);
    const second = await keys.call('sessions.list', { limit: 3, cursor: first.nextCursor ?? '' }, owner);
    expect([...first.items, ...second.items].map(({ prefix }) => prefix)).toEqual(prefixes);
    expect(second.nextCursor).toBeNull();

    const [newest] = first.items;
    const { revokedAt } = await keys.call('sessions.revoke', { id: newest?.id ?? '' }, owner);
    expect((await keys.call('sessions.revoke', { id: newest?.id ?? '' }, owner)).revokedAt).toBe(revokedAt);
    expect((await keys.call('sessions.list', {}, owner)).items).toHaveLength(4);
    const { items } = await keys.call('sessions.list', { includeEnded: true }, owner);
    expect(items[0]).toEqual({ ...newest, revokedAt });
    expect(items).toHaveLength(5);
  });

  test('is limited to one organization, and so is ending them', async () => {
    const { apiKey } = await keys.organization();
    const token = await open(apiKey.key as string);
    const { owner: stranger } = await keys.organization();
    expect((await keys.call('sessions.list', {}, stranger)).items).toEqual([]);
    const id = (await keys.verify(token))?.key.id as string;
    expect(await codeOf(keys.call('sessions.revoke', { id }, stranger))).toBe('NOT_FOUND');
    await keys.call('sessions.close', { organizationId: stranger.organization.id, id });
    expect(await keys.verify(token)).toBeDefined();
  });

  test('says when each was last used', async () => {
    const { owner, apiKey } = await keys.organization();
    const { key } = await keys.identityOf(await open(apiKey.key as string));
    const at = '2026-01-01T00:00:00.000Z';
    const organizationId = owner.organization.id;
    await keys.call('keys.recordUse', { uses: [{ organizationId, keyId: key.id, isSession: true, at }] });
    expect((await keys.call('sessions.list', {}, owner)).items[0]?.lastUsedAt).toBe(at);
    expect((await keys.call('keys.list', {}, owner))[0]?.lastUsedAt).toBeNull();
  });
});
