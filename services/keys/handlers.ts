import { keysContract } from '@worktrack/contracts/keys/contract';
import { REFRESH_TOKEN_MARK } from '@worktrack/contracts/keys/key-format';
import { batched, write } from '@worktrack/runtime/database/handlers/handler-kinds';
import { implement } from '@worktrack/runtime/database/handlers/implement';
import type { Scope } from '@worktrack/runtime/database/scope';
import type { Clients } from './clients/clients.ts';
import { registerClient } from './clients/register.ts';
import { createGrant, denyConnection, openConnection } from './connections/decide.ts';
import { listConnections } from './connections/list.ts';
import { noteSteps } from './connections/note.ts';
import { revokeGrant } from './connections/revoke.ts';
import { startConnection } from './connections/start.ts';
import { endToken, redeemCode, refreshGrant } from './connections/tokens.ts';
import { grantTokensByPrefix, prefixesOfAccessTokens } from './grants/grant-tokens.repository.ts';
import { grantByCode } from './grants/grants.repository.ts';
import { listGrants } from './grants/list.ts';
import type { IssuerKeys } from './issuers/issuer-keys.ts';
import { createKey } from './keys/create.ts';
import { createOrganization } from './keys/create-organization.ts';
import { createOwnerKey } from './keys/create-owner-key.ts';
import { activeKeysOfUsers, prefixOfKey } from './keys/keys.repository.ts';
import { listKeys } from './keys/list.ts';
import type { KeyMint } from './keys/mint.ts';
import { recordUses } from './keys/record-use.ts';
import { revokeKey } from './keys/revoke.ts';
import { identitiesOf, verifyIdentities } from './keys/verify.ts';
import { allRoles } from './roles/roles.repository.ts';
import { rotateKey, rotateOwnKey } from './rotation/rotate.ts';
import { closeSession } from './sessions/close.ts';
import { revokeSession } from './sessions/revoke.ts';
import { pageOfSessions, prefixesOfSessions, prefixOfSession } from './sessions/sessions.repository.ts';
import { createLoginCode } from './sign-in/create-code.ts';
import { listInvitations, listUsersInvited } from './sign-in/invitations.ts';
import { inviteUser } from './sign-in/invite.ts';
import { openSession } from './sign-in/open.ts';
import { withdrawInvitation } from './sign-in/withdraw-invitation.ts';
import { prefixesOfTokens } from './tokens/tokens.repository.ts';
import { exchangeTokens } from './trust/exchange.ts';
import type { Refusals } from './trust/refusals.ts';
import { createTrustRule, deleteTrustRule, listTries, updateTrustRule } from './trust/rules.ts';
import { audienceOf, type TrustSettings } from './trust/settings.ts';
import { recordOf, rulesOfOrganization } from './trust-rules/trust-rules.repository.ts';
import { createUser } from './users/create.ts';
import { eraseUser } from './users/erase.ts';
import { namedUsers, nameOfUser } from './users/named.ts';
import { createRole, deleteRole, updateRole } from './users/roles.ts';
import { updateUser } from './users/update.ts';
import { usersOfRole } from './users/users.repository.ts';

interface Needs {
  readonly mint: KeyMint;
  /** Removes keys and sessions, named by their prefixes, from the gateways' cache, or fails. */
  readonly invalidate: (prefixes: readonly string[]) => Promise<void>;
  readonly trust: TrustSettings;
  readonly issuers: IssuerKeys;
  readonly refusals: Refusals;
  readonly clients: Clients;
}

export function handlers({ mint, invalidate, trust, issuers, refusals, clients }: Needs) {
  const exchange = { mint, settings: trust, issuers, refusals };
  return implement(keysContract, {
    'organizations.create': write((input, context) => createOrganization(mint, input, context), {
      record: (answer) => ({ ...answer, apiKey: { ...answer.apiKey, key: null } }),
    }),
    'organizations.createOwnerKey': write((input, context) => createOwnerKey(mint, input, context), {
      record: (answer) => ({ ...answer, apiKey: { ...answer.apiKey, key: null } }),
    }),
    'users.list': listUsersInvited,
    'users.invite': write((input, context) => inviteUser(mint, input, context), {
      record: (answer) => ({ ...answer, code: null }),
    }),
    'users.withdrawInvitation': withdrawInvitation,
    'users.invitations': listInvitations,
    'users.named': namedUsers,
    'users.nameOf': nameOfUser,
    'users.create': createUser,
    'users.update': write(updateUser, {
      announce: async (_, { id }, context) => invalidate(await prefixesOfUsers(context, [id])),
    }),
    'users.erase': write(eraseUser, {
      announce: async (_, { id }, context) => invalidate(await prefixesOfUsers(context, [id])),
    }),
    'roles.list': async (_, context) => ({ roles: await allRoles(context) }),
    'roles.create': createRole,
    'roles.update': write(updateRole, {
      announce: async ({ id }, _, context) =>
        invalidate(await prefixesOfUsers(context, await usersOfRole(context, id))),
    }),
    'roles.delete': deleteRole,
    'trustRules.list': async (_, context) =>
      (await rulesOfOrganization(context)).map((rule) => recordOf(rule, audienceOf(rule._id, trust))),
    'trustRules.create': (input, context) => createTrustRule(trust, input, context),
    'trustRules.update': write((input, context) => updateTrustRule(trust, input, context), {
      announce: async ({ id }, _, context) => invalidate(await prefixesOfTokens(context, { ruleId: id })),
    }),
    'trustRules.delete': write(deleteTrustRule, {
      announce: async ({ id }, _, context) => invalidate(await prefixesOfTokens(context, { ruleId: id })),
    }),
    'trustRules.tries': listTries,
    'trustTokens.exchange': batched((calls) => exchangeTokens({ ...exchange, waits: false }, calls)),
    'trustTokens.exchangeWaiting': batched((calls) => exchangeTokens({ ...exchange, waits: true }, calls)),
    'grants.list': listGrants,
    'grants.create': write((input, context) => createGrant(mint, input, context), {
      record: (answer) => ({ ...answer, redirectTo: null }),
    }),
    'grants.revoke': write(revokeGrant, {
      announce: async ({ id }, _, context) => invalidate(await prefixesOfAccessTokens(context, { grantId: id })),
    }),
    'connections.list': listConnections,
    'connections.open': openConnection,
    'connections.deny': denyConnection,
    'connections.start': write((input, context) => startConnection(clients, input, context), { staged: true }),
    'connections.redeem': write((input, context) => redeemCode(mint, input, context), {
      // Where the code came twice.
      announce: async ({ code }, { outcome }) => {
        const grant = outcome === 'refused' ? await grantByCode(code.prefix) : undefined;
        if (grant) await invalidate(await prefixesOfGrant(grant._id, grant));
      },
    }),
    'connections.refresh': write((input, context) => refreshGrant(mint, input, context), {
      staged: true,
      announce: async ({ current }, { outcome }) => {
        if (outcome === 'refused') await invalidate(await prefixesBeside(current.prefix));
      },
    }),
    'connections.endToken': write((input, context) => endToken(mint, input, context), {
      announce: async ({ token }) => invalidate([token.prefix, ...(await prefixesBeside(token.prefix))]),
    }),
    'connections.register': registerClient,
    'connections.note': batched(noteSteps),
    'keys.list': listKeys,
    'keys.create': write((input, context) => createKey(mint, input, context), {
      record: (answer) => ({ ...answer, key: null }),
    }),
    'keys.revoke': write(revokeKey, {
      announce: async ({ id }, _, context) => {
        const found = await Promise.all([prefixOfKey(context, id), prefixesOfSessions(context, { keyIds: [id] })]);
        await invalidate(found.flat());
      },
    }),
    'keys.rotate': write((input, context) => rotateKey(mint, input, context), {
      record: (answer) => ({ ...answer, key: null }),
      announce: async ({ id }, { id: newId }, context) => invalidate(await prefixesOfRotated(context, id, newId)),
    }),
    'keys.rotateSelf': write((input, context) => rotateOwnKey(mint, input, context), {
      record: (answer) => ({ ...answer, key: null }),
      announce: async (_, { id: newId }, context) =>
        invalidate(await prefixesOfRotated(context, context.caller.keyId, newId)),
    }),
    'sessions.list': (input, context) => pageOfSessions(context, input),
    'sessions.revoke': write(revokeSession, {
      announce: async ({ id }, _, context) => invalidate(await prefixOfSession(context, id)),
    }),
    'sessions.createCode': write((input, context) => createLoginCode(mint, input, context), {
      record: (answer) => ({ ...answer, code: null }),
    }),
    'sessions.open': (input, context) => openSession(mint, input, context),
    'sessions.close': write(closeSession, {
      announce: async ({ organizationId, id }) => invalidate(await prefixOfSession({ caller: { organizationId } }, id)),
    }),
    'identity.verify': batched((calls) => verifyIdentities(mint, calls)),
    'identity.current': batched(async (calls) => {
      const outputs = await identitiesOf(calls.map(({ input }) => input.prefix));
      return outputs.map((output) => ({ output }));
    }),
    'keys.recordUse': batched(recordUses),
  });
}

/** Of the keys of these users, of the sessions that belong to those, and of the sessions, tokens and apps that act as one of them. */
async function prefixesOfUsers(scope: Scope, userIds: readonly string[]): Promise<string[]> {
  const own = await activeKeysOfUsers(scope, userIds);
  const ofSessions = await prefixesOfSessions(scope, { userIds, keyIds: own.map(({ _id }) => _id) });
  const ofTokens = await Promise.all([
    prefixesOfTokens(scope, { userIds }),
    prefixesOfAccessTokens(scope, { userIds }),
  ]);
  return [...own.map(({ prefix }) => prefix), ...ofSessions, ...ofTokens.flat()];
}

const prefixesOfGrant = (grantId: string, { organizationId }: { readonly organizationId: string }) =>
  prefixesOfAccessTokens({ caller: { organizationId } }, { grantId });

/** Of the access tokens of the grant that a refresh token belongs to. */
async function prefixesBeside(prefix: string): Promise<string[]> {
  const [token] = prefix.startsWith(REFRESH_TOKEN_MARK) ? await grantTokensByPrefix([prefix]) : [];
  return token ? prefixesOfGrant(token.grantId, token) : [];
}

/** Of a key that was replaced, and of the sessions that belong to its successor now. */
async function prefixesOfRotated(scope: Scope, id: string, newId: string): Promise<string[]> {
  const found = await Promise.all([prefixOfKey(scope, id), prefixesOfSessions(scope, { keyIds: [newId] })]);
  return found.flat();
}
