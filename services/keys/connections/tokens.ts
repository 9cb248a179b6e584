import type { ConnectionProblem } from '@worktrack/contracts/keys/connection';
import type { Presented } from '@worktrack/contracts/keys/identity';
import type {
  endToken as endOp,
  redeemCode as redeemOp,
  refreshGrant as refreshOp,
} from '@worktrack/contracts/keys/oauth';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { Permission } from '@worktrack/contracts/permissions';
import type { StagedContext, WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { enterOf } from '@worktrack/runtime/database/outbox/audited';
import { sharedRun } from '@worktrack/runtime/process/shared-run';
import type { ClientSession } from 'mongoose';
import type { GrantTokenDocument } from '../grants/grant-tokens.model.ts';
import { grantTokensByPrefix, insertTokens, markReplaced, removeToken } from '../grants/grant-tokens.repository.ts';
import type { GrantDocument } from '../grants/grants.model.ts';
import { endGrant, grantByCode, grantsById, isLiving, markRedeemed } from '../grants/grants.repository.ts';
import type { KeyMint } from '../keys/mint.ts';
import { permissionsOfRoles } from '../roles/roles.repository.ts';
import { usersById } from '../users/users.repository.ts';
import { changeConnection, connectionById, noteStepOf, takeLookup } from './connections.repository.ts';

/** How long a refresh token that was replaced is answered as when it was: a client that asks twice at once must not lose its grant. */
const PARALLEL_MS = 60_000;

type Context = WriteContext<FailureOf<typeof redeemOp | typeof refreshOp | typeof endOp>>;
type Answer = Output<typeof redeemOp>;

const REFUSED: Answer = { outcome: 'refused', error: 'invalid_grant' };
const FOREIGN: Answer = { outcome: 'refused', error: 'invalid_target' };

/** Once, and by the client that it was given to. That it came twice says that two have it, and nobody knows which one is honest: both lose what it gave. */
export async function redeemCode(
  mint: KeyMint,
  { code, network, ...given }: Input<typeof redeemOp>,
  context: Context,
): Promise<Answer> {
  const { tx } = context;
  const grant = await grantByCode(code.prefix, tx);
  if (!grant || !mint.recognises(grant.codeHash, code.digest)) return REFUSED;
  const refuse = async (problem: ConnectionProblem, answer = REFUSED) => {
    await noteStepOf(grant, 'token', { at: new Date(), problem }, tx);
    return answer;
  };
  if (grant.redeemedAt) {
    await endReused(grant, 'code-reused', given.from, context);
    return await refuse('code-reused');
  }
  if (grant.revokedAt || grant.expiresAt.getTime() <= Date.now()) return await refuse('code-expired');
  if (grant.clientId !== given.clientId) return await refuse('code-client');
  if (given.challenge !== grant.codeChallenge) return await refuse('code-verifier');
  if (given.redirectUri !== undefined && given.redirectUri !== grant.redirectUri) return await refuse('redirect-uri');
  if (given.resource !== undefined && given.resource !== grant.resource) return await refuse('resource', FOREIGN);
  const permissions = await permissionsNow(grant);
  if (!permissions) return await refuse('code-expired');
  await markRedeemed(tx, grant);
  const token = await insertTokens(tx, grant, secretsOf(mint, given));
  await noteStepOf(grant, 'token', { at: new Date() }, tx);
  await takeOwnLookup(grant, network, context);
  return granted(token, permissions);
}

/** A client that runs elsewhere than the browser: what it has looked up belongs to this connection as well. */
async function takeOwnLookup({ connectionId }: GrantDocument, network: string, { tx }: Context): Promise<void> {
  const connection = await connectionById(tx, connectionId);
  if (!connection || connection.steps.metadata) return;
  const lookup = await takeLookup(tx, network);
  if (lookup?.steps.metadata) await changeConnection(tx, connectionId, {}, { metadata: lookup.steps.metadata });
}

/** What is asked for at this moment, by the whole question, from wherever. */
const underWay = new Map<string, Promise<Answer>>();

/**
 * The gateway has derived the next tokens from the current one, so that all who ask with it at once get the same. A replica asks once for all of them, and
 * stores nothing if the tokens are there. Concurrent transactions on one token would make each other run again, until some come too late.
 */
export async function refreshGrant(
  mint: KeyMint,
  input: Input<typeof refreshOp>,
  context: StagedContext<FailureOf<typeof refreshOp>, Answer>,
): Promise<Answer> {
  const question = JSON.stringify({ ...input, from: undefined });
  return sharedRun(underWay, question, () => nextTokens(mint, input, context));
}

async function nextTokens(...[mint, input, context]: Parameters<typeof refreshGrant>): Promise<Answer> {
  const found = await nextOf(mint, input);
  if ('earlier' in found && found.earlier) return granted(found.earlier, found.permissions);
  return context.commit((scope) => refreshOnce(mint, input, { ...context, ...scope }));
}

async function refreshOnce(mint: KeyMint, input: Input<typeof refreshOp>, context: Context): Promise<Answer> {
  const { tx } = context;
  const found = await nextOf(mint, input, tx);
  if ('reused' in found) await endReused(found.reused, 'token-reused', input.from, context);
  if ('refusal' in found) return found.refusal;
  const { token, grant, earlier, permissions } = found;
  if (!token.replacedAt) await markReplaced(tx, token);
  return granted(earlier ?? (await insertTokens(tx, grant, secretsOf(mint, input))), permissions);
}

interface Next {
  readonly token: GrantTokenDocument;
  readonly grant: GrantDocument;
  /** The access token that follows, if somebody has asked for it before. */
  readonly earlier: GrantTokenDocument | undefined;
  readonly permissions: Permission[];
}

/** What a refresh token gives at this moment. */
async function nextOf(
  mint: KeyMint,
  { current, access, refresh, clientId, resource }: Input<typeof refreshOp>,
  tx?: ClientSession,
): Promise<Next | { readonly refusal: Answer } | { readonly refusal: Answer; readonly reused: GrantDocument }> {
  const token = await tokenOf(mint, current, tx);
  const grant = token?.kind === 'refresh' ? (await grantsById([token.grantId], tx)).get(token.grantId) : undefined;
  if (!token || !grant || !isLiving(grant) || grant.clientId !== clientId) return { refusal: REFUSED };
  if (token.replacedAt && Date.now() - token.replacedAt.getTime() > PARALLEL_MS) {
    return { refusal: REFUSED, reused: grant };
  }
  if (resource !== undefined && resource !== grant.resource) return { refusal: FOREIGN };
  const permissions = await permissionsNow(grant);
  if (!permissions) return { refusal: REFUSED };
  const given = token.replacedAt ? await grantTokensByPrefix([access.prefix, refresh.prefix], tx) : [];
  const earlier = given.find(({ kind }) => kind === 'access');
  // It was given back meanwhile; the refresh token beside it goes on.
  if (given.length > 0 && !earlier) return { refusal: REFUSED };
  return { token, grant, earlier, permissions };
}

const granted = ({ expiresAt }: GrantTokenDocument, permissions: Permission[]): Answer => ({
  outcome: 'granted',
  expiresAt: expiresAt.toISOString(),
  permissions,
});

/** RFC 7009: whoever holds a token may end it. */
export async function endToken(
  mint: KeyMint,
  { token: presented, clientId, from }: Input<typeof endOp>,
  context: Context,
): Promise<Output<typeof endOp>> {
  const { tx } = context;
  const token = await tokenOf(mint, presented, tx);
  const grant = token && (await grantsById([token.grantId], tx)).get(token.grantId);
  if (!token || !grant || (clientId !== undefined && clientId !== grant.clientId)) return {};
  if (token.kind === 'access') await removeToken(tx, token);
  else if (!grant.revokedAt) {
    await endGrant(scopeOf(grant, context), grant, 'revoked');
    enter(grant, 'grants.revoke', 'allowed', from, context);
  }
  return {};
}

async function tokenOf(
  mint: KeyMint,
  { prefix, digest }: Presented,
  tx: ClientSession | undefined,
): Promise<GrantTokenDocument | undefined> {
  const [token] = await grantTokensByPrefix([prefix], tx);
  return token && mint.recognises(token.hash, digest) ? token : undefined;
}

const secretsOf = (
  mint: KeyMint,
  { access, refresh }: { readonly access: Presented; readonly refresh: Presented },
) => ({
  access: { prefix: access.prefix, hash: mint.hashOf(access.digest) },
  refresh: { prefix: refresh.prefix, hash: mint.hashOf(refresh.digest) },
});

/** What the grant is good for at this moment. @returns undefined if its user is disabled */
async function permissionsNow({ userId, permissions }: GrantDocument): Promise<Permission[] | undefined> {
  const user = (await usersById([userId])).get(userId);
  if (!user || user.disabled) return undefined;
  const held = (await permissionsOfRoles([user.role])).get(user.role) ?? [];
  return permissions.filter((each) => held.includes(each));
}

async function endReused(
  grant: GrantDocument,
  because: 'code-reused' | 'token-reused',
  from: Input<typeof endOp>['from'],
  context: Context,
): Promise<void> {
  if (grant.revokedAt) return;
  await endGrant(scopeOf(grant, context), grant, because);
  enter(grant, 'grants.reuse', 'denied', from, context);
}

/** Nobody is signed in when an app asks for tokens. */
const scopeOf = ({ organizationId, userId, _id }: GrantDocument, { tx, writes }: Context) => ({
  caller: { organizationId, userId, keyId: _id },
  tx,
  writes,
});

function enter(
  grant: GrantDocument,
  action: string,
  outcome: 'allowed' | 'denied',
  from: Input<typeof endOp>['from'],
  context: Context,
): void {
  const { _id: id, organizationId, clientName: name, userId } = grant;
  enterOf(context.writes, organizationId, {
    action,
    actor: { type: 'grant', id, name, userId },
    targets: [{ type: 'grant', id, name }],
    context: { address: null, userAgent: null, ...from, requestId: context.requestId },
    outcome,
  });
}
