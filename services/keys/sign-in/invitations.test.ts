import { hash } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import type { Identity, Presented } from '@worktrack/contracts/keys/identity';
import { prefixOf, SESSION_MARK } from '@worktrack/contracts/keys/key-format';
import { type Permission, ROLE_PERMISSIONS, type Role } from '@worktrack/contracts/permissions';
import { newKey } from '@worktrack/runtime/process/new-key';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loseReplyOfCommit } from '../../../test/support/lost-reply.ts';
import { auditedOf, toldBy } from '../../../test/support/outbox.ts';
import { type InvitationDocument, InvitationModel } from '../invitations/invitations.model.ts';
import { codeOf, startKeys } from '../testing.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

const DAY_MS = 24 * 60 * 60_000;

const presented = (value: string): Presented => ({ prefix: prefixOf(value), digest: hash('sha256', value) });

/** @returns the token of the new session */
async function open(code: string): Promise<string> {
  const token = newKey(SESSION_MARK);
  await keys.call('sessions.open', { token: presented(token), by: presented(code) });
  return token;
}

/** What whoever opens the link is told. */
async function endOf(code: string): Promise<string | undefined> {
  try {
    await open(code);
    return 'open';
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    return error.extra.details?.find(({ path }) => path === 'invitation')?.message ?? error.code;
  }
}

async function colleague(owner: Identity, role: Role = 'member') {
  return keys.call('users.create', { email: `${uuidv7()}@example.com`, name: 'Grace', role }, owner);
}

async function invite(userId: string, by: Identity): Promise<string> {
  return (await keys.call('users.invite', { userId }, by)).code as string;
}

async function withOnly(permissions: Permission[], owner: Identity): Promise<Identity> {
  return keys.identityOf((await keys.call('keys.create', { name: 'Narrow', permissions }, owner)).key);
}

const unused = async (by: Identity) => (await keys.call('users.invitations', { limit: 100 }, by)).invitations;

const listed = async (userId: string, by: Identity) =>
  (await keys.call('users.list', {}, by)).users.find(({ id }) => id === userId)?.invitation;

describe('an invitation', () => {
  test('signs its user in once, within seven days, and is no longer listed as unused then', async () => {
    const { owner } = await keys.organization();
    const { id: userId, name, email } = await colleague(owner);
    const { code, expiresAt, ...made } = await keys.call('users.invite', { userId }, owner);
    expect(made).toMatchObject({ userId, email });
    expect((Date.parse(expiresAt) - Date.now()) / DAY_MS).toBeCloseTo(7, 3);
    const user = { id: userId, name, email, role: 'member' };
    expect(await unused(owner)).toMatchObject([
      { id: made.invitationId, user, invitedBy: owner.user.name, state: 'open', expiresAt },
    ]);
    expect(await listed(userId, owner)).toMatchObject({ state: 'open', expiresAt });
    const token = await open(code as string);
    expect((await keys.verify(token))?.user).toMatchObject({ id: userId });
    expect(await endOf(code as string)).toBe('used');
    expect(await unused(owner)).toEqual([]);
    expect(await listed(userId, owner)).toMatchObject({ state: 'used' });
  });

  test('that signs its user in is entered as that alone, though the reply to the commit was lost and the call comes again', async () => {
    const { owner, organization } = await keys.organization();
    const code = await invite((await colleague(owner)).id, owner);
    const input = { token: presented(newKey(SESSION_MARK)), by: presented(code) };
    const idempotencyKey = uuidv7();
    loseReplyOfCommit();
    for (let delivery = 0; delivery < 2; delivery++) {
      await keys.call('sessions.open', input, undefined, idempotencyKey);
    }
    const entered = (await auditedOf(organization.id)).filter(({ action }) => action === 'sessions.create');
    expect(entered.map(({ outcome }) => outcome)).toEqual(['allowed']);
  });

  test('is shown once, and stored as a hash', async () => {
    const { owner } = await keys.organization();
    const { id: userId } = await colleague(owner);
    const idempotencyKey = uuidv7();
    const made = await keys.call('users.invite', { userId }, owner, idempotencyKey);
    expect(await keys.call('users.invite', { userId }, owner, idempotencyKey)).toEqual({ ...made, code: null });
    const stored: string[] = [];
    for (const collection of (await mongoose.connection.db?.collections()) ?? []) {
      stored.push(JSON.stringify(await collection.find().toArray()));
    }
    const code = made.code as string;
    expect(stored.join()).toContain(prefixOf(code));
    expect(stored.join()).not.toContain(code.slice(12));
    expect(stored.join()).not.toContain(hash('sha256', code));
  });

  test('needs users:write and all that the user may do, of an enabled user of the organization', async () => {
    const { owner } = await keys.organization();
    const [member, admin] = [await colleague(owner), await colleague(owner, 'admin')];
    const some = await withOnly([...ROLE_PERMISSIONS.member, 'users:write'], owner);
    const tried = (userId: string, by: Identity) => codeOf(invite(userId, by));
    expect(await tried(member.id, some)).toBe('ok');
    expect(await tried(admin.id, some)).toBe('PERMISSION_DENIED');
    expect(await codeOf(keys.call('users.withdrawInvitation', { userId: admin.id }, some))).toBe('PERMISSION_DENIED');
    const { owner: stranger } = await keys.organization();
    expect(await tried(member.id, stranger)).toBe('NOT_FOUND');
    expect(await codeOf(keys.call('users.withdrawInvitation', { userId: member.id }, stranger))).toBe('NOT_FOUND');
    await keys.call('users.update', { id: member.id, disabled: true }, owner);
    expect(await tried(member.id, owner)).toBe('CONFLICT');
  });

  test('gives no more than whoever made it holds, now and later', async () => {
    const { owner } = await keys.organization();
    const { id: userId } = await colleague(owner, 'viewer');
    const admin = await colleague(owner, 'admin');
    const by = await keys.identityOf((await keys.call('keys.create', { name: 'A', userId: admin.id }, owner)).key);
    const code = await invite(userId, by);
    await keys.call('users.update', { id: userId, role: 'owner' }, owner);
    await keys.call('users.update', { id: admin.id, role: 'member' }, owner);
    expect((await keys.verify(await open(code)))?.permissions).toEqual(ROLE_PERMISSIONS.member);
  });

  test('lasts no longer than the key that it was made with, and goes over to the one that replaces it', async () => {
    const { owner } = await keys.organization();
    const { id: userId } = await colleague(owner);
    const short = await keys.call('keys.create', { name: 'Short', expiresInDays: 1 }, owner);
    const { expiresAt } = await keys.call('users.invite', { userId }, await keys.identityOf(short.key));
    expect(expiresAt).toBe(short.expiresAt);
    const rotated = await keys.call('keys.create', { name: 'Rotated' }, owner);
    const code = await invite(userId, await keys.identityOf(rotated.key));
    const { id: keyId } = await keys.call('keys.rotate', { id: rotated.id, overlapSeconds: 0 }, owner);
    expect(await listed(userId, owner)).toMatchObject({ state: 'open' });
    expect((await keys.verify(await open(code)))?.session?.keyId).toBe(keyId);
  });

  const ENDS: [string, string, (of: { owner: Identity; userId: string; by: Identity }) => Promise<unknown>][] = [
    ['it is withdrawn', 'withdrawn', ({ owner, userId }) => keys.call('users.withdrawInvitation', { userId }, owner)],
    ['there is a newer one', 'replaced', ({ owner, userId }) => invite(userId, owner)],
    [
      'the key is revoked that it was made with',
      'expired',
      ({ by }) => keys.call('keys.revoke', { id: by.key.id }, by),
    ],
    [
      'its user is disabled, for good',
      'withdrawn',
      async ({ owner, userId }) => {
        for (const disabled of [true, false]) await keys.call('users.update', { id: userId, disabled }, owner);
      },
    ],
    [
      'its user is erased',
      'withdrawn',
      async ({ owner, userId }) => {
        await keys.call('users.update', { id: userId, disabled: true }, owner);
        await keys.call('users.erase', { id: userId }, owner);
      },
    ],
    [
      'its time is over',
      'expired',
      ({ userId }) => InvitationModel.updateMany({ userId }, { $set: { expiresAt: new Date(Date.now() - 1) } }),
    ],
  ];
  test.each(ENDS)('signs nobody in any more once %s, and its link says so: %s', async (_what, expected, end) => {
    const { owner } = await keys.organization();
    const { id: userId } = await colleague(owner);
    const by = await keys.identityOf((await keys.call('keys.create', { name: 'By' }, owner)).key);
    const code = await invite(userId, by);
    await end({ owner, userId, by });
    expect(await endOf(code)).toBe(expected);
    if (expected === 'expired') expect(await listed(userId, owner)).toMatchObject({ state: 'ended' });
  });

  test('that was withdrawn or replaced tells of itself as that, and a new one after a used one does not change what the used one says', async () => {
    const { owner } = await keys.organization();
    const { id: userId } = await colleague(owner);
    const codes: string[] = [];
    for (let nth = 0; nth < 2; nth++) codes.push(await invite(userId, owner));
    await keys.call('users.withdrawInvitation', { userId }, owner);
    expect(await codeOf(keys.call('users.withdrawInvitation', { userId }, owner))).toBe('NOT_FOUND');
    codes.push(await invite(userId, owner));
    await open(codes[2] as string);
    codes.push(await invite(userId, owner));
    const [first, second, third, last] = codes as [string, string, string, string];
    expect([await endOf(first), await endOf(second), await endOf(third)]).toEqual(['replaced', 'withdrawn', 'used']);
    expect(await listed(userId, owner)).toMatchObject({ state: 'open' });
    expect(await endOf(last)).toBe('open');
  });

  test('that is unknown says what any unknown code says', async () => {
    expect(await endOf(newKey('wtc_'))).toBe('API_KEY_INVALID');
  });

  test('is told of as a change to the user, and so is its end', async () => {
    const { organization, owner } = await keys.organization();
    const { id } = await colleague(owner);
    let until = '';
    const told = await toldBy(organization.id, async () => {
      const { code, expiresAt } = await keys.call('users.invite', { userId: id }, owner);
      until = expiresAt;
      await open(code as string);
      await invite(id, owner);
      await keys.call('users.withdrawInvitation', { userId: id }, owner);
    });
    const changes = (from: unknown, to: unknown) => ({ changes: { invitedUntil: { from, to } } });
    const subject = { kind: 'user', id };
    expect(told).toMatchObject([
      { type: 'user.updated', subject, revision: 2, data: changes(null, until), actor: { userId: owner.user.id } },
      { type: 'user.updated', subject, revision: 3, data: changes(until, null), actor: { userId: id } },
      { type: 'user.updated', subject, revision: 4, data: changes(null, expect.any(String)) },
      { type: 'user.updated', subject, revision: 5, data: changes(expect.any(String), null) },
    ]);
  });

  test('is audited: its making, its use, a try that came too late, and its withdrawal', async () => {
    const { organization, owner } = await keys.organization();
    const { id } = await colleague(owner);
    const code = await invite(id, owner);
    await open(code);
    await endOf(code);
    await invite(id, owner);
    await keys.call('users.withdrawInvitation', { userId: id }, owner);
    const entries = (await auditedOf(organization.id)).filter(({ action }) => /invit|sessions/i.test(action));
    const invited = { action: 'users.invite', outcome: 'allowed', targets: [{ type: 'user', id }] };
    const until = [{ field: 'invitedUntil', old: null, new: expect.any(String) }];
    expect(entries).toMatchObject([
      { ...invited, changes: until },
      { action: 'sessions.create', outcome: 'allowed', actor: { type: 'user', id } },
      { action: 'sessions.create', outcome: 'denied', actor: { type: 'key', id: owner.key.id, userId: id } },
      invited,
      { action: 'users.withdrawInvitation', outcome: 'allowed', targets: [{ type: 'user', id }] },
    ]);
  });
});

test('an organization invites 500 times in a day, and again a day after the first of them', async () => {
  const { owner } = await keys.organization();
  const [grace, edsger] = [await colleague(owner), await colleague(owner)];
  await invite(grace.id, owner);
  const { _id, prefix, ...made } = (await InvitationModel.findOne({ userId: grace.id }).lean()) as InvitationDocument;
  const others = Array.from({ length: 499 }, () => ({
    ...{ ...made, _id: uuidv7(), prefix: uuidv7(), userId: uuidv7(), state: 'replaced' as const },
    createdAt: new Date(Date.now() - DAY_MS + 3_600_000),
  }));
  await InvitationModel.insertMany(others);
  await expect(invite(edsger.id, owner)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringMatching(
      /^An organization may invite users 500 times in a day\. Try again in 3[1-6]\d\d s\.$/,
    ),
  });
  await InvitationModel.deleteOne({ _id: others[0]?._id });
  expect(await invite(edsger.id, owner)).toContain('wtc_');
});

describe('at once', () => {
  test('eight invitations of one user are the five of a day, and leave one that signs in', async () => {
    const { owner } = await keys.organization();
    const { id: userId } = await colleague(owner);
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => invite(userId, owner)));
    const codes = made.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const refused = made.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    expect(refused).toEqual(Array(3).fill('RATE_LIMITED'));
    const ends: (string | undefined)[] = [];
    for (const code of codes) ends.push(await endOf(code));
    expect(ends.toSorted()).toEqual(['open', ...Array(4).fill('replaced')]);
  });

  test('sixteen repetitions are one invitation, and none of them is refused', async () => {
    const { owner } = await keys.organization();
    const { id: userId } = await colleague(owner);
    const once = uuidv7();
    const invited = () => keys.call('users.invite', { userId }, owner, once);
    const answers = await Promise.all(Array.from({ length: 16 }, invited));
    expect(new Set(answers.map(({ invitationId }) => invitationId)).size).toBe(1);
    for (let time = 0; time < 4; time++) await invite(userId, owner);
    expect(await codeOf(invite(userId, owner))).toBe('RATE_LIMITED');
  });

  test('twenty who open the link are one who is signed in', async () => {
    const { owner } = await keys.organization();
    const { id: userId } = await colleague(owner);
    const code = await invite(userId, owner);
    const ends = await Promise.all(Array.from({ length: 20 }, () => endOf(code)));
    expect(ends.toSorted()).toEqual(['open', ...Array(19).fill('used')]);
    expect((await keys.call('sessions.list', {}, owner)).items).toHaveLength(1);
  });

  test('it is opened, or withdrawn, or replaced, or its user disabled: never two of them', async () => {
    const { owner } = await keys.organization();
    for (const end of [
      (userId: string) => keys.call('users.withdrawInvitation', { userId }, owner),
      (userId: string) => keys.call('users.update', { id: userId, disabled: true }, owner),
      (userId: string) => invite(userId, owner),
    ]) {
      for (let time = 0; time < 4; time++) {
        const { id: userId } = await colleague(owner);
        const code = await invite(userId, owner);
        const [opened, ended] = await Promise.all([endOf(code), codeOf(end(userId))]);
        const { state } = (await InvitationModel.findOne({ prefix: prefixOf(code) }).lean()) ?? {};
        expect(state === 'used', `${opened} ${ended} ${state}`).toBe(opened === 'open');
        expect(await endOf(code)).toBe(state);
      }
    }
  });
});

describe('the list of those that nobody has used', () => {
  test('is oldest first, page by page, with a count of all, of the organization alone', async () => {
    const { owner } = await keys.organization();
    const users: string[] = [];
    for (let nth = 0; nth < 5; nth++) {
      const { id } = await colleague(owner);
      users.push(id);
      await invite(id, owner);
    }
    const found: string[] = [];
    for (let after: { since: string; id: string } | undefined; ; ) {
      const { invitations, count } = await keys.call('users.invitations', { limit: 2, after }, owner);
      expect(count).toBe(5);
      const page = invitations.slice(0, 2);
      found.push(...page.map(({ user }) => user.id));
      if (invitations.length < 3) break;
      const last = page.at(-1);
      after = last && { since: last.createdAt, id: last.id };
    }
    expect(found).toEqual(users);
    expect(await keys.call('users.invitations', { limit: 0 }, owner)).toEqual({ invitations: [], count: 5 });
    const { owner: stranger } = await keys.organization();
    expect(await keys.call('users.invitations', { limit: 10 }, stranger)).toEqual({ invitations: [], count: 0 });
  });

  test('says that one has ended, for a week', async () => {
    const { owner } = await keys.organization();
    const { id: userId } = await colleague(owner);
    await invite(userId, owner);
    const past = async (days: number) => {
      const document = await InvitationModel.findOne({ userId }).lean();
      if (!document) throw new Error('It was made.');
      await InvitationModel.deleteOne({ _id: document._id });
      const createdAt = new Date(Date.now() - days * DAY_MS);
      const expiresAt = new Date(createdAt.getTime() + 7 * DAY_MS);
      await InvitationModel.create([{ ...document, createdAt, expiresAt }]);
    };
    await past(13.9);
    expect(await unused(owner)).toMatchObject([{ user: { id: userId }, state: 'ended' }]);
    expect(await listed(userId, owner)).toMatchObject({ state: 'ended' });
    await past(14.1);
    expect(await unused(owner)).toEqual([]);
    expect(await listed(userId, owner)).toBeNull();
    // Whoever withdraws one that has ended sees it no longer.
    await past(8);
    await keys.call('users.withdrawInvitation', { userId }, owner);
    expect(await unused(owner)).toEqual([]);
  });
});
