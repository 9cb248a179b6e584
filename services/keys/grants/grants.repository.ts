import type { EventType } from '@worktrack/contracts/events/event';
import type { listGrants } from '@worktrack/contracts/keys/grants';
import type { Grant } from '@worktrack/contracts/keys/records';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { Permission } from '@worktrack/contracts/permissions';
import { inOrder } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { emit } from '@worktrack/runtime/database/outbox/outbox.repository';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { ClientSession } from 'mongoose';
import type { TellingScope } from '../telling-scope.ts';
import { type GrantDocument, GrantModel } from './grants.model.ts';

/** How long an app has to exchange its code. */
const CODE_SECONDS = 60;

const NEWEST = { field: '_id', direction: -1 } as const;

type NewGrant = Pick<
  GrantDocument,
  | 'userId'
  | 'connectionId'
  | 'clientId'
  | 'clientName'
  | 'clientDomain'
  | 'resource'
  | 'permissions'
  | 'roleLimit'
  | 'rateLimit'
  | 'codePrefix'
  | 'codeHash'
  | 'codeChallenge'
  | 'redirectUri'
  | 'grantedUntil'
> & { readonly projects: readonly string[] | null };

export async function insertGrant(scope: TellingScope, { projects, ...grant }: NewGrant): Promise<GrantDocument> {
  const createdAt = new Date();
  const document: GrantDocument = {
    ...grant,
    ...(projects && { projects: [...projects] }),
    _id: uuidv7(),
    organizationId: scope.caller.organizationId,
    createdAt,
    redeemedAt: null,
    lastUsedAt: null,
    expiresAt: new Date(Math.min(createdAt.getTime() + CODE_SECONDS * 1_000, grant.grantedUntil.getTime())),
    revokedAt: null,
    endedBecause: null,
    revision: 1,
  };
  await GrantModel.create([document], { session: scope.tx });
  const { clientId, clientName, userId, resource, permissions, grantedUntil } = document;
  const limited = projects && { projects };
  tell(scope, document, 'grant.created', {
    ...{ clientId, clientName, userId, resource, permissions, ...limited },
    expiresAt: grantedUntil,
  });
  return document;
}

/** @param grant as it is after the write */
function tell(
  scope: TellingScope,
  { _id: id, revision }: Pick<GrantDocument, '_id' | 'revision'>,
  type: Extract<EventType, `grant.${string}`>,
  data: Readonly<Record<string, unknown>>,
): void {
  emit(scope, { type, subject: { kind: 'grant', id }, revision, data, ...(scope.isUnattended && { actor: null }) });
}

/** For a grant that the transaction has read, and whose code nobody has exchanged. */
export async function markRedeemed(tx: ClientSession, grant: GrantDocument): Promise<void> {
  const { organizationId, _id, grantedUntil } = grant;
  await GrantModel.updateOne(
    { organizationId, _id },
    { $set: { redeemedAt: new Date(), expiresAt: grantedUntil } },
    { session: tx },
  );
}

/** For a grant that the transaction has read, and that was not revoked. */
export async function endGrant(
  scope: TellingScope,
  grant: GrantDocument,
  endedBecause: NonNullable<GrantDocument['endedBecause']>,
): Promise<Date> {
  const { caller, tx } = scope;
  const { _id, clientId, clientName, userId, revision } = grant;
  const revokedAt = new Date();
  await GrantModel.updateOne(
    { organizationId: caller.organizationId, _id },
    { $set: { revokedAt, endedBecause }, $inc: { revision: 1 } },
    { session: tx },
  );
  const type = endedBecause === 'revoked' ? 'grant.revoked' : 'grant.reused';
  tell(scope, { _id, revision: revision + 1 }, type, { clientId, clientName, userId });
  return revokedAt;
}

export async function grantById({ caller, tx }: Scope, id: string): Promise<GrantDocument | undefined> {
  const { organizationId } = caller;
  return (await GrantModel.findOne({ organizationId, _id: id }, null, { session: tx }).lean()) ?? undefined;
}

/** Without an organization: this lookup is what finds it. */
export async function grantByCode(prefix: string, tx?: ClientSession): Promise<GrantDocument | undefined> {
  return (await GrantModel.findOne({ codePrefix: prefix }, null, { session: tx }).lean()) ?? undefined;
}

/** Across organizations: each id comes from a token of the grant. */
export async function grantsById(ids: readonly string[], tx?: ClientSession): Promise<Map<string, GrantDocument>> {
  if (ids.length === 0) return new Map();
  const found = await GrantModel.find({ _id: oneOf(ids) }, null, { session: tx }).lean();
  return new Map(found.map((grant) => [grant._id, grant]));
}

export function isLiving({ revokedAt, expiresAt, redeemedAt }: GrantDocument): boolean {
  return !revokedAt && redeemedAt !== null && expiresAt.getTime() > Date.now();
}

/** In stages of their own, as for keys. Nobody has anything of a grant whose code was never exchanged. */
const redeemed = () => ({ $match: { redeemedAt: { $ne: null } } });
const living = () => ({ $match: { revokedAt: null, expiresAt: { $gt: new Date() } } });

/** Those whose code may still be exchanged, too. */
export async function livingGrantsOfUser({ caller, tx }: Scope, userId: string): Promise<GrantDocument[]> {
  const { organizationId } = caller;
  return GrantModel.aggregate<GrantDocument>([{ $match: { organizationId, userId } }, living()], { session: tx });
}

/** @param userId undefined: of all users */
export async function pageOfGrants(
  { caller }: Scope,
  userId: string | undefined,
  { includeEnded, limit, cursor }: Input<typeof listGrants>,
): Promise<Output<typeof listGrants>> {
  const found = await inOrder<GrantDocument>(GrantModel, {
    filter: { organizationId: caller.organizationId, ...(userId !== undefined && { userId }) },
    order: NEWEST,
    after: cursor === undefined ? undefined : { value: cursor, id: cursor },
    choose: [redeemed(), ...(includeEnded ? [] : [living()])],
    limit: limit + 1,
    present: [],
  });
  const page = found.slice(0, limit);
  return { items: page.map(recordOf), nextCursor: found.length > limit ? (page.at(-1)?._id ?? null) : null };
}

export async function noteMissed(
  { caller: { organizationId } }: TransactionalScope | Scope,
  id: string,
  permissions: readonly Permission[],
  at: Date,
): Promise<void> {
  await GrantModel.updateOne({ organizationId, _id: id }, { $set: { missed: { permissions: [...permissions], at } } });
}

function recordOf(document: GrantDocument): Grant {
  const { _id: id, clientId, clientName, clientDomain, userId, resource, permissions, endedBecause } = document;
  return {
    ...{ id, clientId, clientName, clientDomain, userId, resource, permissions },
    projects: document.projects ?? null,
    createdAt: document.createdAt.toISOString(),
    lastUsedAt: document.lastUsedAt?.toISOString() ?? null,
    expiresAt: document.expiresAt.toISOString(),
    revokedAt: document.revokedAt?.toISOString() ?? null,
    endedBecause,
  };
}
