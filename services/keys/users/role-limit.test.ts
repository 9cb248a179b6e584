import { hash } from 'node:crypto';
import type { Identity, Presented } from '@worktrack/contracts/keys/identity';
import { prefixOf, SESSION_MARK } from '@worktrack/contracts/keys/key-format';
import type { Role } from '@worktrack/contracts/permissions';
import { newKey } from '@worktrack/runtime/process/new-key';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KeyModel } from '../keys/keys.model.ts';
import { roleLimitMigration } from '../migrations/role-limit.repository.ts';
import { startKeys } from '../testing.ts';
import { TrustRuleModel } from '../trust-rules/trust-rules.model.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

const presented = (value: string): Presented => ({ prefix: prefixOf(value), digest: hash('sha256', value) });

async function signedIn(by: string | null): Promise<Identity> {
  const token = newKey(SESSION_MARK);
  await keys.call('sessions.open', { token: presented(token), by: presented(by ?? '') });
  return keys.identityOf(token);
}

const newUser = (owner: Identity, role: Role) =>
  keys.call('users.create', { email: `${uuidv7()}@example.com`, name: 'Bob', role }, owner);

/** An organization with an admin, by a key that the owner made, and a member. */
async function people() {
  const { owner } = await keys.organization();
  const [admin, member] = [await newUser(owner, 'admin'), await newUser(owner, 'member')];
  const keyFor = async (userId: string, maker: Identity, given: object = {}) =>
    (await keys.call('keys.create', { name: 'Made', userId, ...given }, maker)).key;
  const byAdmin = await keys.identityOf(await keyFor(admin.id, owner));
  const promote = (role: Role) => keys.call('users.update', { id: member.id, role }, owner);
  return { owner, byAdmin, admin, member, keyFor, promote };
}

const actsAs = ({ user, roleLimit }: Identity) => [user.role, roleLimit];

describe('what somebody made for another user rises no higher than they could have acted', () => {
  test('a key that an admin made for a member acts as an admin at most, and one that an owner made as an owner', async () => {
    const { owner, byAdmin, member, keyFor, promote } = await people();
    const made = [await keyFor(member.id, byAdmin), await keyFor(member.id, owner)];
    const acting = async () => Promise.all(made.map(async (key) => actsAs(await keys.identityOf(key))));
    expect(await acting()).toEqual([
      ['member', 'admin'],
      ['member', undefined],
    ]);
    await promote('admin');
    expect(await acting()).toEqual([
      ['admin', 'admin'],
      ['admin', undefined],
    ]);
    await promote('owner');
    expect(await acting()).toEqual([
      ['admin', 'admin'],
      ['owner', undefined],
    ]);
  });

  test('a key made with some permissions only acts as neither, also where its maker is an owner', async () => {
    const { owner, member, keyFor, promote } = await people();
    const weak = await keys.call('keys.create', { name: 'x', permissions: ['users:write', 'api-keys:write'] }, owner);
    const made = await keyFor(member.id, await keys.identityOf(weak.key));
    await promote('owner');
    expect(actsAs(await keys.identityOf(made))).toEqual(['member', 'member']);
    // For oneself there is nobody to rise with.
    expect(actsAs(await keys.identityOf(weak.key))).toEqual(['owner', undefined]);
  });

  test('neither does what is made with it: keys, their successors, sessions and rules', async () => {
    const { byAdmin, member, keyFor, promote } = await people();
    const copy = await keyFor(member.id, byAdmin);
    await promote('owner');
    const holder = await keys.identityOf(copy);
    const { key: another } = await keys.call('keys.create', { name: 'Another' }, holder);
    const { key: successor } = await keys.call('keys.rotateSelf', {}, holder);
    const { code } = await keys.call('sessions.createCode', {}, await keys.identityOf(successor));
    const session = await signedIn(code);
    const { key: ofSession } = await keys.call('keys.create', { name: 'Of a session' }, session);
    const all = await Promise.all([another, successor, ofSession].map(keys.identityOf));
    expect([...all, session].map(actsAs)).toEqual(Array(4).fill(['admin', 'admin']));
    const rule = await keys.call('trustRules.create', RULE, session);
    expect(await TrustRuleModel.findById(rule.id).lean()).toMatchObject({ roleLimit: 'admin' });
  });

  test('a session that somebody was signed in to with a code, or an invitation, of an admin', async () => {
    const { owner, byAdmin, member, promote } = await people();
    const { code } = await keys.call('sessions.createCode', { userId: member.id }, byAdmin);
    const { code: invitation } = await keys.call('users.invite', { userId: member.id }, byAdmin);
    const before = await signedIn(code);
    expect(actsAs(before)).toEqual(['member', 'admin']);
    await promote('owner');
    expect(actsAs(await signedIn(invitation))).toEqual(['admin', 'admin']);
    const { code: byOwner } = await keys.call('sessions.createCode', { userId: member.id }, owner);
    expect(actsAs(await signedIn(byOwner))).toEqual(['owner', undefined]);
  });
});

const RULE = {
  name: 'CI',
  preset: 'generic' as const,
  issuer: 'https://ci.example',
  claims: { repository_id: '1', ref: 'refs/heads/main' },
  jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', kid: '1', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] },
};

test('keys of 0.1 act as what their makers hold, or gave to them', async () => {
  const { owner, byAdmin, admin, member, keyFor, promote } = await people();
  const earlier = async (key: string | null) => {
    await KeyModel.updateOne({ prefix: prefixOf(key ?? '') }, { $unset: { roleLimit: '' } });
    return key;
  };
  const byAdminKey = await earlier(await keyFor(member.id, byAdmin));
  const byOwnerKey = await earlier(await keyFor(member.id, owner));
  const whole = await earlier(await keyFor(member.id, owner));
  const part = await earlier(await keyFor(member.id, owner, { permissions: ['users:read'] }));
  const own = await earlier((await keys.call('keys.create', { name: 'Own' }, byAdmin)).key);
  // Their maker has gone since.
  for (const key of [whole, part]) {
    await KeyModel.updateOne(
      { prefix: prefixOf(key ?? '') },
      { $set: { createdBy: (await newUser(owner, 'viewer')).id } },
    );
  }
  await promote('owner');
  await keys.call('users.update', { id: admin.id, role: 'owner' }, owner);
  await keys.call('users.update', { id: admin.id, role: 'admin' }, owner);
  const migrate = async () => {
    for (let after: string | undefined = ''; after !== undefined; ) after = await roleLimitMigration.batch(after);
  };
  await migrate();
  await migrate();
  const acting = [byAdminKey, byOwnerKey, whole, part, own].map(async (key) => actsAs(await keys.identityOf(key)));
  expect(await Promise.all(acting)).toEqual([
    ['admin', 'admin'],
    ['owner', undefined],
    ['owner', undefined],
    ['member', 'member'],
    ['admin', undefined],
  ]);
});
