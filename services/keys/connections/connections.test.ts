import { hash } from 'node:crypto';
import type { Identity } from '@worktrack/contracts/keys/identity';
import {
  ACCESS_TOKEN_MARK,
  CODE_MARK,
  type Mark,
  prefixOf,
  REFRESH_TOKEN_MARK,
  SESSION_MARK,
} from '@worktrack/contracts/keys/key-format';
import { PERMISSIONS, ROLE_PERMISSIONS } from '@worktrack/contracts/permissions';
import { newKey } from '@worktrack/runtime/process/new-key';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppServer, challengeOf, newVerifier } from '../../../test/support/app.ts';
import { auditedOf, outboxOf, toldBy } from '../../../test/support/outbox.ts';
import { ClientModel } from '../clients/clients.model.ts';
import { GrantTokenModel } from '../grants/grant-tokens.model.ts';
import { GrantModel } from '../grants/grants.model.ts';
import { codeOf, startKeys } from '../testing.ts';
import { ConnectionModel } from './connections.model.ts';

const REDIRECT = 'https://app.example/callback';
const ISSUER = 'https://worktrack.example/connect';

let keys: Awaited<ReturnType<typeof startKeys>>;
let apps: AppServer;
let owner: Identity;
/** The owner, signed in. */
let person: Identity;
beforeAll(async () => {
  keys = await startKeys();
  apps = await AppServer.start();
});
beforeEach(async () => {
  ({ owner, person } = await newPerson());
});
afterAll(async () => {
  await apps?.stop();
  await keys.stop();
});

const presented = (value: string) => ({ prefix: prefixOf(value), digest: hash('sha256', value) });

async function newPerson() {
  const made = await keys.organization();
  return { owner: made.owner, person: await signedIn(made.apiKey.key ?? '') };
}

async function signedIn(by: string): Promise<Identity> {
  const token = newKey(SESSION_MARK);
  await keys.call('sessions.open', { token: presented(token), by: presented(by) });
  return keys.identityOf(token);
}

type Start = Parameters<typeof keys.call<'connections.start'>>[1];

async function start(clientId = apps.publish(), given: Partial<Start> = {}) {
  const verifier = newVerifier();
  const { id } = await keys.call('connections.start', {
    ...{ clientId, redirectUri: REDIRECT, state: 'a state', responseType: 'code', resource: 'connect' },
    ...{ codeChallenge: challengeOf(verifier), codeChallengeMethod: 'S256', isMalformed: false },
    ...{ issuer: ISSUER, network: 'a network', userAgent: 'a browser', ...given },
  });
  return { id, clientId, verifier };
}
type Started = Awaited<ReturnType<typeof start>>;

const open = (id: string, by = person) => keys.call('connections.open', { id }, by);

type Given = Partial<Parameters<typeof keys.call<'grants.create'>>[1]>;
async function allow({ id }: Pick<Started, 'id'>, given: Given = {}, by = person) {
  await open(id, by);
  const answer = await keys.call('grants.create', { id, permissions: ['work-items:read'], ...given }, by);
  return { grantId: answer.id, back: new URL(answer.redirectTo ?? '') };
}

const tokens = (mark: Mark) => newKey(mark);
type Redeem = Parameters<typeof keys.call<'connections.redeem'>>[1];

async function redeem({ clientId, verifier }: Started, code: string, given: Partial<Redeem> = {}) {
  const [access, refresh] = [tokens(ACCESS_TOKEN_MARK), tokens(REFRESH_TOKEN_MARK)];
  const answer = await keys.call('connections.redeem', {
    ...{ clientId, code: presented(code), challenge: challengeOf(verifier), redirectUri: REDIRECT },
    ...{ access: presented(access), refresh: presented(refresh), network: 'a cloud', ...given },
  });
  return { access, refresh, answer };
}

async function refresh(
  clientId: string,
  current: string,
  next = [tokens(ACCESS_TOKEN_MARK), tokens(REFRESH_TOKEN_MARK)],
) {
  const [access = '', refreshing = ''] = next;
  const answer = await keys.call('connections.refresh', {
    ...{ clientId, current: presented(current), access: presented(access), refresh: presented(refreshing) },
  });
  return { access, refresh: refreshing, answer };
}

/** From beginning to end. */
async function connect(given: Given = {}, by = person) {
  const started = await start();
  const { grantId, back } = await allow(started, given, by);
  const code = back.searchParams.get('code') ?? '';
  return { ...started, grantId, code, ...(await redeem(started, code)) };
}

const REFUSED = { outcome: 'refused', error: 'invalid_grant' };

test('an app that somebody has allowed something gets this, in their name, for as long as they have said', async () => {
  const projects = [uuidv7()];
  const app = await connect({ permissions: ['work-items:write', 'work-items:read'], projects, expiresInDays: 7 });
  expect(app.answer).toEqual({
    outcome: 'granted',
    expiresAt: expect.any(String),
    permissions: ['work-items:read', 'work-items:write'],
  });
  const identity = await keys.identityOf(app.access);
  expect(identity).toMatchObject({
    user: { id: owner.user.id },
    permissions: ['work-items:read', 'work-items:write'],
    projects,
    key: { id: app.grantId, name: 'Test app', prefix: prefixOf(app.access) },
    grant: { id: app.grantId, resource: 'connect' },
  });
  // The token lasts for an hour, the grant for a week.
  const minutes = (at: string) => Math.round((Date.parse(at) - Date.now()) / 60_000);
  expect(minutes(identity.grant?.expiresAt ?? '')).toBe(60);
  const { items } = await keys.call('grants.list', {}, owner);
  expect(items).toMatchObject([
    { id: app.grantId, clientId: app.clientId, clientName: 'Test app', clientDomain: new URL(apps.url).host, projects },
  ]);
  expect(minutes(items[0]?.expiresAt ?? '')).toBe(7 * 24 * 60);
});

test('nobody connects more apps than the limit by exchanging their codes only when all of them are allowed', async () => {
  const { grantId } = await allow(await start());
  const { organizationId, ...grant } = await GrantModel.findById(grantId).orFail().lean();
  const others = Array.from({ length: 199 }, () => {
    const _id = uuidv7();
    return { ...grant, organizationId, _id, codePrefix: _id };
  });
  await GrantModel.insertMany(others);
  const started = await start();
  expect(await codeOf(allow(started))).toBe('CONFLICT');
  const [{ _id } = { _id: '' }] = others;
  // Nobody has exchanged its code in time.
  await GrantModel.updateOne({ organizationId, _id }, { $set: { expiresAt: new Date() } });
  expect(await codeOf(allow(started))).toBe('ok');
});

test('a key that is limited to projects ends no app that reaches further, and sees of none which others it reaches', async () => {
  const [own, other] = [uuidv7(), uuidv7()];
  const [all, both, one] = [
    await connect(),
    await connect({ projects: [own, other] }),
    await connect({ projects: [own] }),
  ];
  const limited = { ...owner, projects: [own] };
  const { items } = await keys.call('grants.list', {}, limited);
  expect(items.map(({ id, projects }) => [id, projects])).toEqual([
    [one.grantId, [own]],
    [both.grantId, [own]],
    [all.grantId, null],
  ]);
  const revoke = ({ grantId }: { readonly grantId: string }) =>
    codeOf(keys.call('grants.revoke', { id: grantId }, limited));
  expect([await revoke(all), await revoke(both), await revoke(one)]).toEqual([
    'PERMISSION_DENIED',
    'PERMISSION_DENIED',
    'ok',
  ]);
});

test('what the app gets back: the code, its state, and whose it is (RFC 9207)', async () => {
  const { back } = await allow(await start());
  expect(back.origin + back.pathname).toBe(REDIRECT);
  expect(Object.fromEntries(back.searchParams)).toEqual({
    ...{ code: expect.stringMatching(/^wta_/), state: 'a state', iss: ISSUER },
  });
  const denied = await start();
  await open(denied.id);
  const { redirectTo } = await keys.call('connections.deny', { id: denied.id }, person);
  expect(Object.fromEntries(new URL(redirectTo).searchParams)).toEqual({
    ...{ error: 'access_denied', state: 'a state', iss: ISSUER },
  });
  expect(await codeOf(keys.call('grants.create', { id: denied.id, permissions: ['work-items:read'] }, person))).toBe(
    'CONFLICT',
  );
});

describe('what a person is shown', () => {
  test('who asks, where it leads, and what of what is asked they can give: however long the list is', async () => {
    const { id } = await start(undefined, {
      permissions: [...PERMISSIONS],
      redirectUri: 'http://127.0.0.1:4711/callback',
    });
    const viewer = await userOf('viewer');
    const { request } = await open(id, viewer);
    expect(request).toMatchObject({
      client: { name: 'Test app', domain: new URL(apps.url).host },
      returnsTo: { kind: 'loopback', name: '127.0.0.1:4711' },
      // Of all that there is, only what tools need, and of that what a viewer has.
      offered: ['projects:read', 'work-items:read', 'feedback:read'],
      ...{ given: [], missed: [] },
    });
  });

  test('at the address for reading, nothing else is offered', async () => {
    const { id } = await start(undefined, { resource: 'connect/readonly' });
    const { request } = await open(id);
    expect(request?.offered).toEqual(['projects:read', 'work-items:read', 'feedback:read']);
    expect(await codeOf(keys.call('grants.create', { id, permissions: ['work-items:write'] }, person))).toBe(
      'VALIDATION_FAILED',
    );
  });

  test('what the same app has, and what it was refused', async () => {
    const app = await connect();
    const noted = { organizationId: owner.organization.id, grantId: app.grantId, at: new Date().toISOString() };
    await keys.call('connections.note', { notes: [{ ...noted, step: null, missed: ['work-items:write'] }] });
    const { request } = await open((await start(app.clientId)).id);
    expect(request).toMatchObject({ given: ['work-items:read'], missed: ['work-items:write'] });
  });

  test.each<[string, Partial<Start>, string, string | null]>([
    ['an unknown client', { clientId: 'https://nobody.invalid/client.json' }, 'document-unreachable', null],
    ['an id that nobody has', { clientId: uuidv7() }, 'unknown-client', null],
    ['another redirect', { redirectUri: 'https://evil.example/callback' }, 'redirect-uri', null],
    ['no redirect', { redirectUri: undefined }, 'redirect-uri', null],
    ['a parameter twice', { isMalformed: true }, 'malformed', null],
    ['another response', { responseType: 'token' }, 'response-type', 'unsupported_response_type'],
    ['an answer in the fragment', { responseMode: 'fragment' }, 'response-mode', 'invalid_request'],
    ['no challenge', { codeChallenge: undefined }, 'pkce', 'invalid_request'],
    ['a plain challenge', { codeChallengeMethod: 'plain' }, 'pkce', 'invalid_request'],
    ['no method', { codeChallengeMethod: undefined }, 'pkce', 'invalid_request'],
    ['a short challenge', { codeChallenge: 'abc' }, 'pkce', 'invalid_request'],
    ['a foreign resource', { resource: undefined }, 'resource', 'invalid_target'],
  ])('what is wrong with a request, and nothing to decide: %s', async (_, given, code, error) => {
    const { id } = await start(given.clientId, given);
    const { request, problem, backTo } = await open(id);
    expect([request, problem?.code]).toEqual([null, code]);
    // Nobody is sent to an address that is not known to be the client's.
    expect(backTo && new URL(backTo).searchParams.get('error')).toBe(error);
    expect(await codeOf(keys.call('grants.create', { id, permissions: ['work-items:read'] }, person))).toBe('CONFLICT');
    const { items } = await keys.call('connections.list', {}, owner);
    expect(items[0]).toMatchObject({
      id,
      missing: code.startsWith('document') || code === 'unknown-client' ? 'client' : 'authorize',
    });
  });
});

async function userOf(role: 'viewer' | 'member' | 'admin', projects?: string[]): Promise<Identity> {
  const { id } = await keys.call('users.create', { email: `${uuidv7()}@example.com`, name: 'Bob', role }, owner);
  if (projects) await keys.call('users.update', { id, projects }, owner);
  const { code } = await keys.call('sessions.createCode', { userId: id }, owner);
  if (!code?.startsWith(CODE_MARK)) throw new Error('There is no code.');
  return signedIn(code);
}

describe('nobody gives more than they hold, and only a person gives anything', () => {
  test('a key, a token and an app decide nothing', async () => {
    const app = await connect();
    const { id } = await start();
    await open(id);
    for (const caller of [owner, await keys.identityOf(app.access)]) {
      expect(await codeOf(open(id, caller))).toBe('PERMISSION_DENIED');
      const given = { id, permissions: ['work-items:read' as const] };
      expect(await codeOf(keys.call('grants.create', given, caller))).toBe('PERMISSION_DENIED');
      expect(await codeOf(keys.call('connections.deny', { id }, caller))).toBe('PERMISSION_DENIED');
    }
  });

  test('no permission that they lack, that the app has not asked for, or that is none of the tools', async () => {
    const { id } = await start(undefined, { permissions: ['work-items:read', 'work-items:write'] });
    const viewer = await userOf('viewer');
    await open(id, viewer);
    const tries = [['work-items:write'], ['feedback:read'], ['users:write'], ['api-keys:write']] as const;
    const codes = await Promise.all(
      tries.map((permissions) => codeOf(keys.call('grants.create', { id, permissions: [...permissions] }, viewer))),
    );
    expect(codes).toEqual(['PERMISSION_DENIED', 'VALIDATION_FAILED', 'VALIDATION_FAILED', 'VALIDATION_FAILED']);
  });

  test('no project that they lack, and no more time than their key has', async () => {
    const [own, other] = [uuidv7(), uuidv7()];
    const limited = await userOf('member', [own]);
    const { id } = await start();
    await open(id, limited);
    const create = (projects: string[] | null) =>
      codeOf(keys.call('grants.create', { id, permissions: ['work-items:read'], projects }, limited));
    expect([await create([other]), await create(null)]).toEqual(['VALIDATION_FAILED', 'PERMISSION_DENIED']);
    expect(await create([own])).toBe('ok');

    const brief = await keys.call('keys.create', { name: 'Brief', expiresInDays: 1 }, owner);
    const app = await connect({ expiresInDays: 365 }, await signedIn(brief.key ?? ''));
    const { items } = await keys.call('grants.list', {}, owner);
    expect(items.find((grant) => grant.id === app.grantId)?.expiresAt).toBe(brief.expiresAt);
  });

  test('of another organization, and of another user who has decided, a request is unknown', async () => {
    const started = await start();
    await allow(started);
    const stranger = await newPerson();
    for (const other of [stranger.person, await userOf('member')]) {
      expect(await codeOf(open(started.id, other))).toBe('NOT_FOUND');
    }
    expect(await open(started.id)).toEqual({ request: null, problem: null, backTo: null });
    // Before it is decided, it is for whoever has looked at it last.
    const next = await start();
    await open(next.id);
    await open(next.id, stranger.person);
    const given = { id: next.id, permissions: ['work-items:read' as const] };
    expect(await codeOf(keys.call('grants.create', given, person))).toBe('CONFLICT');
    expect(await codeOf(keys.call('grants.create', given, stranger.person))).toBe('ok');
    expect(await codeOf(keys.call('grants.create', given, stranger.person))).toBe('CONFLICT');
  });

  test('what anybody can start is forgotten after an hour unless somebody who is signed in looks at it, and little is kept of what leads nowhere', async () => {
    const long = 'x'.repeat(4_000);
    const nowhere = [
      await start(`https://${long}.example/client.json`, { state: long }),
      await start(apps.publish(), { redirectUri: `https://app.example/${long}`, state: long }),
      await start(long, { state: long }),
    ];
    for (const { id } of nowhere) {
      expect(JSON.stringify(await ConnectionModel.findById(id).lean()).length).toBeLessThan(1_500);
    }
    const { id } = await start();
    const stored = async () => {
      const { createdAt, expiresAt } = await ConnectionModel.findById(id).orFail().lean();
      return expiresAt && expiresAt.getTime() - createdAt.getTime();
    };
    expect(await stored()).toBe(60 * 60_000);
    await open(id);
    expect(await stored()).toBeUndefined();
    const ends = expect.objectContaining({ expireAfterSeconds: 0 });
    expect(ConnectionModel.schema.indexes()).toContainEqual([{ expiresAt: 1 }, ends]);
  });

  test('the document of an app is forgotten after an hour, and after a day once somebody has allowed the app something', async () => {
    const started = await start(apps.publish({}, { 'cache-control': 'max-age=86400' }));
    const minutesLeft = async () => {
      const { expiresAt } = await ClientModel.findById(started.clientId).orFail().lean();
      return Math.round(((expiresAt?.getTime() ?? 0) - Date.now()) / 60_000);
    };
    expect(await minutesLeft()).toBe(60);
    await allow(started);
    expect(await minutesLeft()).toBe(24 * 60);
    await start(started.clientId);
    expect(await minutesLeft()).toBe(24 * 60);
  });

  test('after an hour there is nothing to decide', async () => {
    const { id } = await start();
    await open(id);
    await ConnectionModel.updateOne({ _id: id }, { $set: { createdAt: new Date(Date.now() - 3_600_000) } });
    expect(await open(id)).toMatchObject({ request: null });
    expect(await codeOf(keys.call('grants.create', { id, permissions: ['work-items:read'] }, person))).toBe('CONFLICT');
  });
});

describe('a code', () => {
  const codeFor = async (started: Started) => (await allow(started)).back.searchParams.get('code') ?? '';

  test.each<[string, (started: Started) => Partial<Redeem>, string?]>([
    ['of another client', () => ({ clientId: apps.publish() })],
    ['with another verifier', () => ({ challenge: challengeOf(newVerifier()) })],
    ['with the challenge itself', ({ verifier }) => ({ challenge: verifier })],
    ['with another redirect', () => ({ redirectUri: `${REDIRECT}/` })],
    ['for another resource', () => ({ resource: 'connect/readonly' }), 'invalid_target'],
    ['for a foreign resource', () => ({ resource: 'foreign' }), 'invalid_target'],
    ['with another rest', () => ({ code: presented(newKey('wta_')) })],
  ])('gives nothing %s, and is still good for its own', async (_, change, error = 'invalid_grant') => {
    const started = await start();
    const code = await codeFor(started);
    const { answer, access } = await redeem(started, code, change(started));
    expect(answer).toEqual({ outcome: 'refused', error });
    expect(await keys.verify(access)).toBeUndefined();
    expect((await redeem(started, code)).answer.outcome).toBe('granted');
  });

  test('without redirect_uri and resource, as some clients ask, gives the same', async () => {
    const started = await start();
    const { answer } = await redeem(started, await codeFor(started), { redirectUri: undefined });
    expect(answer.outcome).toBe('granted');
  });

  test('is over after 60 seconds', async () => {
    const started = await start();
    const code = await codeFor(started);
    const { expiresAt, createdAt } = (await GrantModel.findOne({ codePrefix: prefixOf(code) }).lean()) ?? {};
    expect((expiresAt?.getTime() ?? 0) - (createdAt?.getTime() ?? 0)).toBe(60_000);
    await GrantModel.updateOne({ codePrefix: prefixOf(code) }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    expect((await redeem(started, code)).answer).toEqual(REFUSED);
    const { items } = await keys.call('grants.list', { includeEnded: true }, owner);
    expect(items).toEqual([]);
  });

  test('that comes twice ends what it gave, and everybody who may is told', async () => {
    const app = await connect();
    const events = await toldBy(owner.organization.id, async () => {
      expect((await redeem(app, app.code)).answer).toEqual(REFUSED);
      expect((await redeem(app, app.code)).answer).toEqual(REFUSED);
    });
    expect(events).toMatchObject([{ type: 'grant.reused', subject: { kind: 'grant', id: app.grantId } }]);
    expect(await keys.verify(app.access)).toBeUndefined();
    expect((await refresh(app.clientId, app.refresh)).answer).toEqual(REFUSED);
    const { items } = await keys.call('grants.list', { includeEnded: true }, owner);
    expect(items).toMatchObject([{ id: app.grantId, endedBecause: 'code-reused', revokedAt: expect.any(String) }]);
  });

  test('that comes many times at once gives tokens once at most, and nothing in the end', async () => {
    const started = await start();
    const code = await codeFor(started);
    const all = await Promise.all(Array.from({ length: 20 }, () => redeem(started, code)));
    expect(all.filter(({ answer }) => answer.outcome === 'granted')).toHaveLength(1);
    const accepted = await Promise.all(all.map(({ access }) => keys.verify(access)));
    expect(accepted.filter(Boolean)).toEqual([]);
  });

  test('a delivery that is repeated is not a second use', async () => {
    const started = await start();
    const [code, key] = [await codeFor(started), uuidv7()];
    const [access, refreshing] = [newKey(ACCESS_TOKEN_MARK), newKey(REFRESH_TOKEN_MARK)];
    const input = {
      ...{ clientId: started.clientId, code: presented(code), challenge: challengeOf(started.verifier) },
      ...{ access: presented(access), refresh: presented(refreshing), network: 'a cloud' },
    };
    const first = await keys.call('connections.redeem', input, undefined, key);
    expect(await keys.call('connections.redeem', input, undefined, key)).toEqual(first);
    expect(await keys.verify(access)).toBeDefined();
  });
});

describe('a refresh token', () => {
  test('is replaced, and gives what the grant gives by then', async () => {
    const app = await connect({ permissions: ['work-items:read', 'work-items:write'] });
    const second = await refresh(app.clientId, app.refresh);
    expect(second.answer).toMatchObject({ outcome: 'granted', permissions: ['work-items:read', 'work-items:write'] });
    const third = await refresh(app.clientId, second.refresh);
    expect(third.answer.outcome).toBe('granted');
    expect(await keys.identityOf(third.access)).toMatchObject({ key: { id: app.grantId } });
    // The earlier access tokens end by themselves.
    expect(await keys.verify(app.access)).toBeDefined();
  });

  test('that comes 20 times at once is answered alike: nobody is signed out', async () => {
    const app = await connect();
    const next = [newKey(ACCESS_TOKEN_MARK), newKey(REFRESH_TOKEN_MARK)];
    const all = await Promise.all(Array.from({ length: 20 }, () => refresh(app.clientId, app.refresh, next)));
    expect(new Set(all.map(({ answer }) => JSON.stringify(answer))).size).toBe(1);
    expect(all[0]?.answer.outcome).toBe('granted');
    expect(await keys.verify(next[0] ?? '')).toBeDefined();
    expect((await refresh(app.clientId, next[1] ?? '')).answer.outcome).toBe('granted');
    expect(await GrantTokenModel.countDocuments({ organizationId: owner.organization.id })).toBe(6);
  });

  test('works for 60 seconds more; a later use ends the family, for good, and is told', async () => {
    const app = await connect();
    const second = await refresh(app.clientId, app.refresh);
    const replaced = (ms: number) =>
      GrantTokenModel.updateOne({ prefix: prefixOf(app.refresh) }, { $set: { replacedAt: new Date(Date.now() - ms) } });
    await replaced(59_000);
    const late = await refresh(app.clientId, app.refresh);
    expect(late.answer.outcome).toBe('granted');
    await replaced(61_000);
    const events = await toldBy(owner.organization.id, async () => {
      expect((await refresh(app.clientId, app.refresh)).answer).toEqual(REFUSED);
    });
    expect(events).toMatchObject([{ type: 'grant.reused', data: { clientName: 'Test app' } }]);
    for (const each of [app, second, late]) {
      expect(await keys.verify(each.access)).toBeUndefined();
      expect((await refresh(app.clientId, each.refresh)).answer).toEqual(REFUSED);
    }
    const { items } = await keys.call('grants.list', { includeEnded: true }, owner);
    expect(items).toMatchObject([{ endedBecause: 'token-reused' }]);
  });

  test('gives back no access token that was given back', async () => {
    const app = await connect();
    const next = [newKey(ACCESS_TOKEN_MARK), newKey(REFRESH_TOKEN_MARK)];
    await refresh(app.clientId, app.refresh, next);
    await keys.call('connections.endToken', { token: presented(next[0] ?? ''), clientId: app.clientId });
    expect((await refresh(app.clientId, app.refresh, next)).answer).toEqual(REFUSED);
    expect(await keys.verify(next[0] ?? '')).toBeUndefined();
    expect((await refresh(app.clientId, next[1] ?? '')).answer.outcome).toBe('granted');
  });

  test('is entered in the audit log as used again, by whom nobody knows', async () => {
    const app = await connect();
    await refresh(app.clientId, app.refresh);
    const longAgo = { $set: { replacedAt: new Date(Date.now() - 61_000) } };
    await GrantTokenModel.updateOne({ prefix: prefixOf(app.refresh) }, longAgo);
    await refresh(app.clientId, app.refresh);
    const entries = await auditedOf(owner.organization.id);
    expect(entries.at(-1)).toMatchObject({
      action: 'grants.reuse',
      outcome: 'denied',
      actor: { type: 'grant', id: app.grantId, name: 'Test app', userId: owner.user.id },
    });
    expect(entries.filter(({ action }) => action === 'grants.create')).toMatchObject([
      {
        actor: { type: 'session' },
        targets: [{ type: 'grant', id: app.grantId, name: 'Test app' }],
        outcome: 'allowed',
      },
    ]);
  });

  test.each<[string, (app: Awaited<ReturnType<typeof connect>>) => ReturnType<typeof refresh>]>([
    ['of another client', (app) => refresh(apps.publish(), app.refresh)],
    ['that is made up', (app) => refresh(app.clientId, newKey(REFRESH_TOKEN_MARK))],
    ['that is an access token', (app) => refresh(app.clientId, app.access)],
    ['that is a code', (app) => refresh(app.clientId, app.code)],
    [
      'with another rest',
      (app) => refresh(app.clientId, app.refresh.slice(0, 20) + newKey(REFRESH_TOKEN_MARK).slice(20)),
    ],
  ])('gives nothing %s, and the app keeps what it has', async (_, attack) => {
    const app = await connect();
    expect((await attack(app)).answer).toEqual(REFUSED);
    expect(await keys.verify(app.access)).toBeDefined();
    expect((await refresh(app.clientId, app.refresh)).answer.outcome).toBe('granted');
  });
});

describe('an app is disconnected', () => {
  test.each<[string, (app: Awaited<ReturnType<typeof connect>>) => Promise<unknown>]>([
    ['by its user', ({ grantId }) => keys.call('grants.revoke', { id: grantId }, person)],
    [
      'by itself, with its refresh token',
      (app) => keys.call('connections.endToken', { token: presented(app.refresh), clientId: app.clientId }),
    ],
    [
      'when its user is disabled',
      async () => {
        const other = await keys.call(
          'users.create',
          { email: `${uuidv7()}@example.com`, name: 'O', role: 'owner' },
          owner,
        );
        const key = await keys.call('keys.create', { name: 'O', userId: other.id }, owner);
        await keys.call('users.update', { id: owner.user.id, disabled: true }, await keys.identityOf(key.key));
      },
    ],
    [
      'when its time is over',
      ({ grantId }) => GrantModel.updateOne({ _id: grantId }, { $set: { expiresAt: new Date() } }),
    ],
  ])('%s', async (_, end) => {
    const app = await connect();
    expect(await keys.verify(app.access)).toBeDefined();
    await end(app);
    expect(await keys.verify(app.access)).toBeUndefined();
    expect((await refresh(app.clientId, app.refresh)).answer).toEqual(REFUSED);
  });

  test('an access token that is given back ends alone', async () => {
    const app = await connect();
    await keys.call('connections.endToken', { token: presented(app.access), clientId: app.clientId });
    expect(await keys.verify(app.access)).toBeUndefined();
    expect((await refresh(app.clientId, app.refresh)).answer.outcome).toBe('granted');
  });

  test('nobody ends a token by its beginning, or as another client', async () => {
    const app = await connect();
    const forged = { ...presented(app.refresh), digest: 'a'.repeat(64) };
    await keys.call('connections.endToken', { token: forged });
    await keys.call('connections.endToken', {
      token: presented(app.refresh),
      clientId: 'https://evil.example/client.json',
    });
    expect(await keys.verify(app.access)).toBeDefined();
  });

  test('by an owner, but not by others, and by nobody who holds less', async () => {
    const member = await userOf('member');
    const app = await connect({ permissions: ['work-items:read', 'work-items:write'] }, member);
    const [other, stranger] = [await userOf('member'), (await newPerson()).person];
    const narrow = await keys.call('keys.create', { name: 'Narrow', permissions: ['work-items:read'] }, owner);
    const revoke = (by: Identity) => codeOf(keys.call('grants.revoke', { id: app.grantId }, by));
    expect([await revoke(other), await revoke(stranger)]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect(await revoke(await keys.identityOf(narrow.key))).toBe('PERMISSION_DENIED');
    expect((await keys.call('grants.list', {}, owner)).items).toEqual([]);
    expect((await keys.call('grants.list', { all: true }, owner)).items).toMatchObject([{ id: app.grantId }]);
    const events = await toldBy(owner.organization.id, async () => {
      expect([await revoke(owner), await revoke(owner)]).toEqual(['ok', 'ok']);
    });
    expect(events).toMatchObject([{ type: 'grant.revoked' }]);
    expect(await keys.verify(app.access)).toBeUndefined();
  });
});

test('a grant is narrowed by its user and their role at every moment', async () => {
  const member = await userOf('member');
  const app = await connect({ permissions: ['work-items:read', 'work-items:write'] }, member);
  const project = uuidv7();
  await keys.call('users.update', { id: member.user.id, role: 'viewer', projects: [project] }, owner);
  const identity = await keys.identityOf(app.access);
  expect(identity).toMatchObject({ permissions: ['work-items:read'], projects: [project] });
  // What its user cannot give is not worth asking for.
  expect(identity.grant?.grantable).toEqual(ROLE_PERMISSIONS.viewer.filter((each) => each !== 'work-items:read'));
  expect((await refresh(app.clientId, app.refresh)).answer).toMatchObject({ permissions: ['work-items:read'] });
});

test('an app goes by no higher role than what its user was signed in with, which ends no app of others', async () => {
  const [admin, member] = [await userOf('admin'), await userOf('member')];
  const app = await connect();
  const { code } = await keys.call('sessions.createCode', { userId: member.user.id }, admin);
  const byAdmin = await signedIn(code ?? '');
  const own = await connect({}, byAdmin);
  await keys.call('users.update', { id: member.user.id, role: 'owner' }, owner);
  expect((await keys.identityOf(own.access)).user.role).toBe('admin');
  const now = { ...byAdmin, user: { ...byAdmin.user, role: 'owner' } };
  expect(await codeOf(keys.call('grants.revoke', { id: app.grantId }, now))).toBe('NOT_FOUND');
});

test('nothing of what an app has can be read anywhere', async () => {
  const app = await connect();
  const [grants, stored, events] = [
    await GrantModel.find({ _id: app.grantId }).lean(),
    await GrantTokenModel.find({ grantId: app.grantId }).lean(),
    [...(await outboxOf(owner.organization.id)), ...(await auditedOf(owner.organization.id))],
  ];
  const all = JSON.stringify([grants, stored, events]);
  for (const secret of [app.access, app.refresh, app.code]) {
    expect(all).not.toContain(secret);
    expect(all).not.toContain(hash('sha256', secret));
  }
});

describe('how far an app came', () => {
  const last = async () => (await keys.call('connections.list', {}, owner)).items[0];
  const note = (step: 'metadata' | null, network = 'a network') =>
    keys.call('connections.note', { notes: [{ network, userAgent: 'An app/1', step, at: new Date().toISOString() }] });

  test('is known from the first look at how to sign in to the first tool', async () => {
    // Others have been here from the same network.
    await start();
    await note(null);
    expect(await last()).toMatchObject({ clientId: null, userAgent: 'An app/1', steps: [], missing: 'metadata' });
    await note('metadata');
    expect(await last()).toMatchObject({ clientId: null, steps: [{ step: 'metadata' }], missing: 'client' });
    const started = await start();
    const steps = async () => {
      const { steps: seen, missing } = (await last()) ?? {};
      return [seen?.map(({ step, at }) => (at ? step : `(${step})`)).join(' '), missing];
    };
    await open(started.id);
    expect(await steps()).toEqual(['metadata client authorize consent', 'code']);
    const { grantId, back } = await allow(started);
    expect(await steps()).toEqual(['metadata client authorize consent code', 'token']);
    await redeem(started, back.searchParams.get('code') ?? '');
    expect((await steps())[1]).toBe('initialize');
    for (const [step, missing] of [
      ['initialize', 'tool'],
      ['tool', null],
    ] as const) {
      const noted = { organizationId: owner.organization.id, grantId, at: new Date().toISOString() };
      await keys.call('connections.note', { notes: [{ ...noted, step }] });
      expect((await steps())[1]).toBe(missing);
    }
    expect((await steps())[0]).toBe('metadata client authorize consent code token initialize tool');
  });

  test('a client elsewhere is found by where it asks for its tokens', async () => {
    await note('metadata', 'a cloud');
    const started = await start(undefined, { network: 'a home' });
    const { back } = await allow(started);
    expect((await last())?.steps[0]).toEqual({ step: 'metadata', at: null });
    await redeem(started, back.searchParams.get('code') ?? '');
    expect((await last())?.steps[0]).toEqual({ step: 'metadata', at: expect.any(String) });
  });

  test('and why not further: the last reason counts, until it works', async () => {
    const started = await start();
    const { back } = await allow(started);
    const code = back.searchParams.get('code') ?? '';
    await redeem(started, code, { challenge: challengeOf('x') });
    expect(await last()).toMatchObject({ missing: 'token' });
    expect((await last())?.steps.at(-1)).toMatchObject({ step: 'token', problem: 'code-verifier' });
    await redeem(started, code);
    expect((await last())?.steps.at(-1)).toEqual({ step: 'token', at: expect.any(String) });
    await redeem(started, code);
    expect(await last()).toMatchObject({ missing: 'token' });
    expect((await last())?.steps.at(-1)).toMatchObject({ step: 'token', problem: 'code-reused' });
  });

  test('is shown to its user and to owners, and to nobody else', async () => {
    const member = await userOf('member');
    const started = await start();
    await open(started.id, member);
    const ids = async (by: Identity, all = false) =>
      (await keys.call('connections.list', { all }, by)).items.filter(({ id }) => id === started.id).length;
    expect([await ids(member), await ids(owner), await ids(owner, true)]).toEqual([1, 0, 1]);
    expect([await ids((await newPerson()).owner, true), await ids(await userOf('member'))]).toEqual([0, 0]);
  });
});

test('one that registers itself is taken at its word, and gone after a day unless somebody uses it', async () => {
  const answer = await keys.call('connections.register', { name: 'Claude', redirectUris: [REDIRECT] });
  if (answer.outcome !== 'registered') throw new Error('It was refused.');
  const started = await start(answer.id);
  expect((await open(started.id)).request?.client).toEqual({ id: answer.id, name: 'Claude', uri: null, domain: null });
  const { back } = await allow(started);
  expect((await redeem(started, back.searchParams.get('code') ?? '')).answer.outcome).toBe('granted');
  const wrong = { redirectUris: [REDIRECT, 'javascript:alert(1)'] };
  expect(await keys.call('connections.register', wrong)).toEqual({
    outcome: 'refused',
    redirectUri: 'javascript:alert(1)',
  });
});
