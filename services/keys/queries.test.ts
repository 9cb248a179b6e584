import { hash } from 'node:crypto';
import { keysContract } from '@worktrack/contracts/keys/contract';
import { prefixOf, SESSION_MARK, TRUST_TOKEN_MARK } from '@worktrack/contracts/keys/key-format';
import { newKey } from '@worktrack/runtime/process/new-key';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Borne, OperationPlans } from '../../test/mongodb/plan/plans.ts';
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

/** As services/workitems/queries.test.ts. */
test('every query of every operation is answered by an index, without a sort', async () => {
  const called = new Set<string>();
  const plans = new OperationPlans({ apart: ['transaction_owners'], borne: BORNE });
  const ask: typeof keys.call = (name, ...rest) => {
    called.add(name);
    return plans.of(name, () => keys.call(name, ...rest));
  };

  const made = await ask('organizations.create', { name: 'Example', ownerEmail: 'ada@example.com' });
  const owner = await keys.identityOf(made.apiKey.key);
  const { id } = await ask('users.create', { email: 'grace@example.com', name: 'Grace', role: 'admin' }, owner);
  await ask('users.list', { page: 2, limit: 1 }, owner);
  await ask('users.named', { names: ['@ada', 'Ada Lovelace', owner.user.id] }, owner);
  await ask('users.update', { id, name: 'Grace Hopper', role: 'owner' }, owner);
  await ask('users.update', { id, role: 'member', disabled: true }, owner);
  const gone = await ask('users.create', { email: 'gone@example.com', name: 'Gone', role: 'member' }, owner);
  await ask('users.update', { id: gone.id, disabled: true }, owner);
  await ask('users.erase', { id: gone.id }, owner);
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
  const rotated = await ask('keys.rotate', { id: created.id, overlapSeconds: 60 }, owner);
  await ask('keys.recordUse', { uses: [use] });
  await ask('keys.rotateSelf', { overlapSeconds: 0 }, await keys.identityOf(rotated.key));
  await ask('identity.verify', presented(rotated.key ?? ''));
  const role = await ask('roles.create', { name: 'Triage', permissions: ['feedback:read', 'users:read'] }, owner);
  await ask('users.update', { id, role: role.id, disabled: false, projects: [uuidv7()] }, owner);
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
  for (const token of tokens) await ask('trustTokens.exchange', { jwt, token: presented(token) });
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
  await ask('users.update', { id, role: 'viewer' }, owner);
  await ask('roles.delete', { id: role.id }, owner);
  await ask('keys.revoke', { id: created.id }, owner);

  expect(Object.keys(keysContract.operations).filter((name) => !called.has(name))).toEqual([]);
  expect(plans.faults).toEqual([]);
  await expect(plans.table('Keys')).toMatchFileSnapshot('../../test/surface/plans/keys.md');
});
