import type { Caller } from '@worktrack/contracts/caller';
import type { Fail } from '@worktrack/contracts/errors';
import type { ConsentRequest } from '@worktrack/contracts/keys/connection';
import { CONNECTION_STEPS } from '@worktrack/contracts/keys/connection-steps';
import type { denyConnection as denyOp, openConnection as openOp } from '@worktrack/contracts/keys/connections';
import type { createGrant as createOp } from '@worktrack/contracts/keys/grants';
import { AUTHORIZATION_MARK } from '@worktrack/contracts/keys/key-format';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { audited } from '@worktrack/runtime/database/outbox/audited';
import { takeAccessTurn } from '../access-turn.ts';
import { keepClient } from '../clients/clients.repository.ts';
import { placeOf, withParameters } from '../clients/redirect-uri.ts';
import { insertGrant, isLiving, livingGrantsOfUser } from '../grants/grants.repository.ts';
import { grantable } from '../keys/create.ts';
import { limitsOfCaller } from '../keys/key-of-caller.ts';
import { rateOf } from '../keys/keys.repository.ts';
import type { KeyMint } from '../keys/mint.ts';
import { rateWithin } from '../keys/rate-within.ts';
import { roleLimitOfMade } from '../keys/role-limit-of-made.ts';
import { projectsWithin } from '../projects-within.ts';
import type { ConnectionDocument } from './connections.model.ts';
import { changeConnection, connectionById, noteOpened, OPEN_MS } from './connections.repository.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Far more apps than one person connects, and few enough for their tokens to be evicted at once. */
const MAX_GRANTS_PER_USER = 200;

type OpenContext = WriteContext<FailureOf<typeof openOp>>;
type CreateContext = WriteContext<FailureOf<typeof createOp>>;

/** Shows what an app asks for, to the person who decides. Whoever looks at it last, decides: it is they who know what they have started. */
export const openConnection: WriteAlone<typeof openOp> = async ({ id }, context) => {
  const { tx, caller } = context;
  requirePerson(context);
  const connection = await requireKnown(id, context);
  const { asked, redirectUri, steps } = connection;
  const at = new Date();
  const isOpen = asked !== undefined && !isDecided(connection) && !isOver(connection);
  const { organizationId, userId } = caller;
  const consent = isOpen && !steps.consent ? { consent: { at } } : {};
  await noteOpened(tx, id, { organizationId, userId }, consent);
  const failed = CONNECTION_STEPS.map((step) => steps[step]).find((seen) => seen?.problem);
  const { problem = null, detail = null } = failed ?? {};
  return {
    request: isOpen && redirectUri !== null ? await requestOf(connection, asked, redirectUri, context) : null,
    problem: problem && { code: problem, detail },
    backTo: isDecided(connection) ? null : refusal(connection, problem),
  };
};

async function requestOf(
  { _id: id, clientId, clientName, clientUri, clientDomain }: ConnectionDocument,
  { resource, permissions }: NonNullable<ConnectionDocument['asked']>,
  redirectUri: string,
  context: OpenContext,
): Promise<ConsentRequest> {
  const { caller } = context;
  const offered = permissions.filter((each) => caller.permissions.includes(each));
  const before = (await livingGrantsOfUser(context, caller.userId)).filter(
    (grant) => isLiving(grant) && grant.clientId === clientId && grant.resource === resource,
  );
  const among = (some: readonly string[]) => offered.filter((each) => some.includes(each));
  return {
    id,
    client: { id: clientId ?? '', name: clientName ?? '', uri: clientUri, domain: clientDomain },
    returnsTo: placeOf(redirectUri),
    resource,
    offered,
    given: among(before.flatMap((grant) => grant.permissions)),
    missed: among(before.flatMap(({ missed }) => missed?.permissions ?? [])),
  };
}

/** Nobody gives more than they hold: no permission, no project, no rate, and no more time. */
export async function createGrant(
  mint: KeyMint,
  { id, permissions, projects, expiresInDays }: Input<typeof createOp>,
  context: CreateContext,
): Promise<Output<typeof createOp>> {
  const { tx, caller, fail } = context;
  requirePerson(context);
  const connection = await requireOpen(id, context);
  const { asked, redirectUri, clientId, clientName, clientDomain, state, issuer } = connection;
  const beyond = permissions.find((each) => !asked.permissions.includes(each));
  if (beyond) {
    const message = `names ${beyond}, which the app has not asked for`;
    throw fail('VALIDATION_FAILED', `permissions ${message}.`, { details: [{ path: 'permissions', message }] });
  }
  if ((await livingGrantsOfUser(context, caller.userId)).length >= MAX_GRANTS_PER_USER) {
    throw fail(
      'CONFLICT',
      `You have connected ${MAX_GRANTS_PER_USER} apps, which is the limit. Disconnect some that you no longer use.`,
      { reason: 'limit' },
    );
  }
  const now = await takeAccessTurn(context);
  const maker = await limitsOfCaller(context);
  const { key: code, prefix, hash } = mint.make(AUTHORIZATION_MARK);
  const wantedUntil = Date.now() + expiresInDays * DAY_MS;
  const grant = await insertGrant(context, {
    ...{ userId: caller.userId, connectionId: id, clientId, clientName, clientDomain, resource: asked.resource },
    permissions: grantable(permissions, context),
    projects: projectsWithin(context, projects),
    roleLimit: roleLimitOfMade(now, caller, caller.userId),
    rateLimit: rateWithin(rateOf(maker), undefined, context),
    ...{ codePrefix: prefix, codeHash: hash, codeChallenge: asked.codeChallenge, redirectUri },
    grantedUntil: new Date(Math.min(wantedUntil, maker.expiresAt?.getTime() ?? wantedUntil)),
  });
  await changeConnection(tx, id, { grantId: grant._id }, { code: { at: grant.createdAt } });
  await keepClient(tx, { clientId, clientDomain });
  audited(context.writes, { targets: [{ type: 'grant', id: grant._id, name: clientName }] });
  return { id: grant._id, redirectTo: withParameters(redirectUri, { code, state, iss: issuer }) };
}

export const denyConnection: WriteAlone<typeof denyOp> = async ({ id }, context) => {
  requirePerson(context);
  const connection = await requireOpen(id, context);
  await changeConnection(context.tx, id, {}, { consent: { at: new Date(), problem: 'denied' } });
  return { redirectTo: refusal(connection, null) ?? '' };
};

/** What an app may do is a person's decision, never a program's: whoever has a key can sign in with it, and then it is seen. */
function requirePerson({ caller, fail }: { readonly caller: Caller; readonly fail: Fail<'PERMISSION_DENIED'> }): void {
  if (caller.sender?.type === 'session') return;
  throw fail('PERMISSION_DENIED', 'Only a person decides what an app may do: sign in to the console at /console/.');
}

async function requireKnown(
  id: string,
  { tx, caller, fail }: Pick<OpenContext, 'tx' | 'caller'> & { readonly fail: Fail<'NOT_FOUND'> },
): Promise<ConnectionDocument> {
  const connection = await connectionById(tx, id);
  const isOthers = connection?.organizationId !== caller.organizationId || connection?.userId !== caller.userId;
  if (connection && !(isDecided(connection) && isOthers)) return connection;
  throw fail('NOT_FOUND', `There is no connection ${id}, or it was started too long ago. Start again from the app.`);
}

type Open = ConnectionDocument & {
  readonly asked: NonNullable<ConnectionDocument['asked']>;
  readonly redirectUri: string;
  readonly clientId: string;
  readonly clientName: string;
};

/** @returns one that is still to be decided, by the caller */
async function requireOpen(
  id: string,
  context: Pick<OpenContext, 'tx' | 'caller'> & { readonly fail: Fail<'NOT_FOUND' | 'CONFLICT'> },
): Promise<Open> {
  const connection = await requireKnown(id, context);
  const { caller, fail } = context;
  const { asked, redirectUri, organizationId, userId } = connection;
  if (!asked || redirectUri === null || isOver(connection)) {
    throw fail('CONFLICT', 'There is nothing to decide any more. Start again from the app.');
  }
  if (isDecided(connection)) throw fail('CONFLICT', 'This was decided already. Start again from the app.');
  if (organizationId !== caller.organizationId || userId !== caller.userId) {
    throw fail('CONFLICT', 'Somebody else has looked at this since. Load the page again.');
  }
  return connection as Open;
}

const isDecided = ({ grantId, steps }: ConnectionDocument) => grantId !== null || steps.consent?.problem === 'denied';
const isOver = ({ createdAt }: ConnectionDocument) => createdAt.getTime() + OPEN_MS <= Date.now();

/** RFC 6749, 4.1.2.1. */
const ERRORS = new Map([
  ['response-type', 'unsupported_response_type'],
  ['resource', 'invalid_target'],
  ['response-mode', 'invalid_request'],
  ['pkce', 'invalid_request'],
]);

function refusal({ redirectUri, state, issuer }: ConnectionDocument, problem: string | null): string | null {
  if (redirectUri === null) return null;
  const error = ERRORS.get(problem ?? '') ?? 'access_denied';
  return withParameters(redirectUri, { error, state, iss: issuer });
}
