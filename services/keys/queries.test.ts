import { hash } from 'node:crypto';
import { keysContract } from '@worktrack/contracts/keys/contract';
import {
  ACCESS_TOKEN_MARK,
  prefixOf,
  REFRESH_TOKEN_MARK,
  SESSION_MARK,
  TRUST_TOKEN_MARK,
} from '@worktrack/contracts/keys/key-format';
import { newKey } from '@worktrack/runtime/process/new-key';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Borne, OperationPlans } from '../../test/mongodb/plan/plans.ts';
import { AppServer, challengeOf, newVerifier } from '../../test/support/app.ts';
import { CallsAgain, storedOf } from '../../test/support/calls-again.ts';
import { TestIssuer } from '../../test/support/issuer.ts';
import { startKeys } from './testing.ts';

let keys: Awaited<ReturnType<typeof startKeys>>;
beforeAll(async () => {
  keys = await startKeys();
});
afterAll(() => keys.stop());

const FEW = 'an organization has few keys; those that were revoked are among them';
const BORNE: readonly Borne[] = [
  { operation: 'keys.list', query: 'aggregate keys: organizationId, revokedAt', why: FEW },
  { operation: 'keys.create', query: 'aggregate keys: organizationId, revokedAt', why: FEW },
  { operation: 'keys.rotate', query: 'aggregate keys: organizationId, revokedAt', why: FEW },
  { operation: 'keys.rotateSelf', query: 'aggregate keys: organizationId, revokedAt', why: FEW },
];

/** @returns the organization that all was done in */
async function callAll(ask: typeof keys.call): Promise<string> {
  const made = await ask('organizations.create', { name: 'Example', ownerEmail: 'ada@example.com' });
  const owner = await keys.identityOf(made.apiKey.key);
  await ask('organizations.createOwnerKey', { organizationId: owner.organization.id, ownerEmail: 'ada@example.com' });
  const { id } = await ask('users.create', { email: 'grace@example.com', name: 'Grace', role: 'admin' }, owner);
  for (const page of [1, 2]) await ask('users.list', { page, limit: 1 }, owner);
  await ask('users.named', { names: ['@ada', 'Ada Lovelace', owner.user.id] }, owner);
  await ask('users.update', { id, name: 'Grace Hopper', role: 'owner' }, owner);
  await ask('users.update', { id, role: 'member', disabled: true }, owner);
  const gone = await ask('users.create', { email: 'gone@example.com', name: 'Gone', role: 'member' }, owner);
  await ask('users.update', { id: gone.id, disabled: true }, owner);
  await ask('users.erase', { id: gone.id }, owner);
  await ask('users.nameOf', { id: gone.id }, owner);
  const created = await ask('keys.create', { name: 'Second' }, owner);
  const key = created.key ?? '';
  await ask('identity.verify', { prefix: prefixOf(key), digest: hash('sha256', key) });
  await ask('identity.current', { prefix: prefixOf(key) });
  const use = { organizationId: owner.organization.id, keyId: created.id, at: new Date().toISOString() };
  await ask('keys.recordUse', { uses: [use] });
  await ask('keys.list', {}, owner);
  await ask('keys.list', { includeRevoked: true }, owner);
  await ask('keys.list', { includeRevoked: true, cursor: created.id }, owner);

  const { code } = await ask('sessions.createCode', {}, owner);
  const presented = (value: string) => ({ prefix: prefixOf(value), digest: hash('sha256', value) });
  const sessions = [newKey(SESSION_MARK), newKey(SESSION_MARK)] as const;
  await ask('sessions.open', { token: presented(sessions[0]), by: presented(code ?? '') });
  await ask('sessions.open', { token: presented(sessions[1]), by: presented(key) });
  await ask('identity.verify', presented(sessions[0]));
  await ask('identity.current', { prefix: prefixOf(sessions[0]) });
  const { items, nextCursor } = await ask('sessions.list', { limit: 1 }, owner);
  await ask('sessions.list', { limit: 1, cursor: nextCursor ?? '', includeEnded: true }, owner);
  const session = items[0]?.id ?? '';
  await ask('keys.recordUse', { uses: [{ ...use, keyId: session, isSession: true }] });
  // A key that a session creates ends with the session's own key.
  await ask('keys.create', { name: 'Third' }, await keys.identityOf(sessions[0]));
  await ask('sessions.revoke', { id: session }, owner);
  await ask('sessions.close', { organizationId: owner.organization.id, id: session });
  const invited = await ask('users.create', { email: 'in@example.com', name: 'In', role: 'member' }, owner);
  await ask('users.invitations', { limit: 0 }, owner);
  const invitation = await ask('users.invite', { userId: invited.id }, owner);
  const { invitations } = await ask('users.invitations', { limit: 1 }, owner);
  const place = { since: invitations[0]?.createdAt ?? '', id: invitations[0]?.id ?? '' };
  await ask('users.invitations', { limit: 1, after: place }, owner);
  await ask('users.list', {}, owner);
  const opened = presented(invitation.code ?? '');
  await ask('sessions.open', { token: presented(newKey(SESSION_MARK)), by: opened });
  await ask('users.invite', { userId: invited.id }, owner);
  await ask('users.withdrawInvitation', { userId: invited.id }, owner);
  const rotated = await ask('keys.rotate', { id: created.id, overlapSeconds: 60 }, owner);
  await ask('keys.recordUse', { uses: [use] });
  await ask('keys.rotateSelf', { overlapSeconds: 0 }, await keys.identityOf(rotated.key));
  await ask('identity.verify', presented(rotated.key ?? ''));
  const role = await ask('roles.create', { name: 'Triage', permissions: ['feedback:read', 'users:read'] }, owner);
  await ask('users.update', { id, role: role.id, disabled: false, projects: [uuidv7()] }, owner);
  const newestSession = newKey(SESSION_MARK);
  await ask('sessions.open', { token: presented(newestSession), by: presented(made.apiKey.key ?? '') });
  const limited = await ask('keys.create', { name: 'Limited', userId: id, projects: [uuidv7()] }, owner);
  await ask('keys.list', {}, await keys.identityOf(limited.key));
  await ask('roles.update', { id: role.id, name: 'Support', permissions: ['feedback:read'] }, owner);
  await ask('roles.list', {}, owner);
  const rule = await ask(
    'trustRules.create',
    { name: 'CI', preset: 'generic', issuer: 'https://ci.example.com', claims: { project: '1', branch: 'main' } },
    owner,
  );
  await ask('trustRules.update', { id: rule.id, ttlSeconds: 60 }, owner);
  await ask('trustRules.list', {}, owner);
  const issuer = await TestIssuer.start();
  const trusting = { name: 'CI', issuer: issuer.url, claims: { project: '1', branch: 'main' }, reuse: 3 };
  const { id: ruleId, audience } = await ask('trustRules.create', trusting, owner);
  const jwt = issuer.jwt({ aud: audience, project: '1', branch: 'main' });
  const tokens = [newKey(TRUST_TOKEN_MARK), newKey(TRUST_TOKEN_MARK)] as const;
  for (const token of tokens) await ask('trustTokens.exchangeWaiting', { jwt, token: presented(token) });
  await ask('trustTokens.exchange', { jwt, token: presented(tokens[0]) });
  await ask('trustTokens.exchange', { jwt: issuer.jwt({ aud: audience }), token: presented(tokens[0]) });
  await ask('trustTokens.exchange', {
    jwt: issuer.jwt({ aud: audience }, { header: { kid: 'other' } }),
    token: presented(tokens[0]),
  });
  await issuer.stop();
  await ask('identity.verify', presented(tokens[0]));
  await ask('identity.current', { prefix: prefixOf(tokens[0]) });
  await ask('keys.create', { name: 'Of a job' }, await keys.identityOf(tokens[0]));
  await ask('trustRules.tries', { id: ruleId }, owner);
  await ask('trustRules.update', { id: ruleId, ttlSeconds: 60 }, owner);
  await ask('trustRules.delete', { id: rule.id }, owner);
  const apps = await AppServer.start();
  const verifier = newVerifier();
  const clientId = apps.publish();
  const asked = { redirectUri: 'https://app.example/callback', resource: 'connect', responseType: 'code' } as const;
  const from = { network: 'a network', userAgent: null };
  const at = new Date().toISOString();
  await ask('connections.note', { notes: [{ ...from, step: 'metadata', at }] });
  const connect = (client: string) =>
    ask('connections.start', {
      ...{ ...asked, ...from, clientId: client, issuer: 'https://worktrack.example/connect', isMalformed: false },
      ...{ codeChallenge: challengeOf(verifier), codeChallengeMethod: 'S256' },
    });
  const registration = await ask('connections.register', { redirectUris: [asked.redirectUri] });
  if (registration.outcome !== 'registered') throw new Error('It was refused.');
  const person = await keys.identityOf(newestSession);
  const denied = await connect(registration.id);
  await ask('connections.open', { id: denied.id }, person);
  await ask('connections.deny', { id: denied.id }, person);
  const connection = await connect(clientId);
  await ask('connections.open', { id: connection.id }, person);
  const given = { id: connection.id, permissions: ['work-items:read'] as const };
  const grant = await ask('grants.create', { ...given, permissions: [...given.permissions] }, person);
  const authorization = presented(new URL(grant.redirectTo ?? '').searchParams.get('code') ?? '');
  const ofApp = [newKey(ACCESS_TOKEN_MARK), newKey(ACCESS_TOKEN_MARK)] as const;
  const refreshing = [newKey(REFRESH_TOKEN_MARK), newKey(REFRESH_TOKEN_MARK)] as const;
  const redeem = () =>
    ask('connections.redeem', {
      ...{ clientId, code: authorization, challenge: challengeOf(verifier), network: 'another' },
      ...{ access: presented(ofApp[0]), refresh: presented(refreshing[0]) },
    });
  await ask('connections.note', { notes: [{ ...from, network: 'another', step: 'metadata', at }] });
  await redeem();
  await ask('identity.verify', presented(ofApp[0]));
  await ask('identity.current', { prefix: prefixOf(ofApp[0]) });
  const next = { access: presented(ofApp[1]), refresh: presented(refreshing[1]) };
  for (let i = 0; i < 2; i++) {
    await ask('connections.refresh', { clientId, current: presented(refreshing[0]), ...next });
  }
  await ask('keys.recordUse', { uses: [{ ...use, keyId: grant.id, isGrant: true }] });
  const noted = { organizationId: owner.organization.id, grantId: grant.id, at };
  await ask('connections.note', { notes: [{ ...noted, step: 'tool', missed: ['work-items:write'] }] });
  await ask('connections.open', { id: (await connect(clientId)).id }, person);
  await ask('connections.list', {}, owner);
  await ask('connections.list', { all: true }, owner);
  const page = await ask('grants.list', { limit: 1 }, owner);
  await ask('grants.list', { all: true, includeEnded: true, limit: 1, cursor: page.items[0]?.id }, owner);
  await ask('connections.endToken', { token: presented(ofApp[0]) });
  await ask('connections.endToken', { token: presented(refreshing[1]) });
  await redeem();
  await ask('grants.revoke', { id: grant.id }, owner);
  await apps.stop();
  await ask('users.update', { id, role: 'viewer' }, owner);
  await ask('roles.delete', { id: role.id }, owner);
  await ask('keys.revoke', { id: created.id }, owner);
  return owner.organization.id;
}

/** Where all was done once. */
let once: string;

/** As services/workitems/queries.test.ts. */
test('every query of every operation is answered by an index, without a sort', async () => {
  const plans = new OperationPlans(keysContract, { borne: BORNE });
  once = await callAll((name, ...rest) => plans.of(name, () => keys.call(name, ...rest)));
  expect(plans.faults).toEqual([]);
  await expect(plans.table('Keys')).toMatchFileSnapshot('../../test/surface/plans/keys.md');
});

test('each write takes effect once, though the reply to its commit is lost and the call comes again', async () => {
  const again = new CallsAgain(keysContract);
  const organization = await callAll((name, input, caller) =>
    again.of(name, (idempotencyKey) => keys.call(name, input, caller, idempotencyKey)),
  );
  // What is refused is noted each time.
  expect(await storedOf(organization, ['trust_tries'])).toEqual(await storedOf(once, ['trust_tries']));
});
