import type { Session } from '@worktrack/contracts/keys/records';
import type { listSessions } from '@worktrack/contracts/keys/sessions';
import { SESSION_HOURS } from '@worktrack/contracts/keys/sessions';
import type { Input, Output } from '@worktrack/contracts/operation';
import { inOrder } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { type SessionDocument, SessionModel } from './sessions.model.ts';

const LIFE_MS = SESSION_HOURS * 60 * 60_000;
const NEWEST = { field: '_id', direction: -1 } as const;

/** @param keyEndsAt when its key expires, which it does not outlive */
export async function insertSession(
  { caller, tx }: TransactionalScope,
  session: Pick<SessionDocument, 'userId' | 'keyId' | 'prefix' | 'hash' | 'permissions'>,
  keyEndsAt: Date | null,
): Promise<Session> {
  const createdAt = new Date();
  const document: SessionDocument = {
    ...session,
    _id: uuidv7(),
    organizationId: caller.organizationId,
    createdAt,
    lastUsedAt: null,
    expiresAt: new Date(Math.min(createdAt.getTime() + LIFE_MS, keyEndsAt?.getTime() ?? Number.POSITIVE_INFINITY)),
    revokedAt: null,
  };
  await SessionModel.create([document], { session: tx });
  return recordOf(document);
}

/** In a stage of its own, as for keys. */
const notRevoked = () => ({ $match: { revokedAt: null } });
const notExpired = () => ({ $gt: new Date() });

export async function pageOfSessions(
  { caller }: Scope,
  { includeEnded, limit, cursor }: Input<typeof listSessions>,
): Promise<Output<typeof listSessions>> {
  const found = await inOrder<SessionDocument>(SessionModel, {
    filter: { organizationId: caller.organizationId },
    order: NEWEST,
    // None that started earlier is active, so those that ended long ago are not walked through.
    ...(!includeEnded && { range: { $gte: firstIdAt(Date.now() - LIFE_MS) } }),
    after: cursor === undefined ? undefined : { value: cursor, id: cursor },
    choose: includeEnded ? [] : [notRevoked()],
    limit: limit + 1,
    present: [],
  });
  const page = found.slice(0, limit);
  const shown = includeEnded ? page : page.filter(({ expiresAt }) => expiresAt.getTime() > Date.now());
  return { items: shown.map(recordOf), nextCursor: found.length > limit ? (page.at(-1)?._id ?? null) : null };
}

/** The lowest of the ids that start with a time (UUIDv7). */
function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

export async function countActiveSessions({ caller, tx }: TransactionalScope, userId: string): Promise<number> {
  const { organizationId } = caller;
  const [counted] = await SessionModel.aggregate<{ sessions: number }>(
    [
      { $match: { organizationId, userId, expiresAt: notExpired() } },
      notRevoked(),
      { $group: { _id: null, sessions: { $sum: 1 } } },
    ],
    { session: tx },
  );
  return counted?.sessions ?? 0;
}

export async function sessionById({ caller, tx }: Scope, id: string): Promise<SessionDocument | undefined> {
  const { organizationId } = caller;
  return (await SessionModel.findOne({ organizationId, _id: id }, null, { session: tx }).lean()) ?? undefined;
}

/** For a session that the transaction has read. */
export async function markEnded({ caller, tx }: TransactionalScope, id: string, revokedAt: Date): Promise<void> {
  const { organizationId } = caller;
  await SessionModel.updateOne({ organizationId, _id: id }, { $set: { revokedAt } }, { session: tx });
}

/** To the key that replaced theirs. */
export async function moveSessions({ caller, tx }: TransactionalScope, from: string, to: string): Promise<void> {
  const { organizationId } = caller;
  await SessionModel.updateMany({ organizationId, keyId: from }, { $set: { keyId: to } }, { session: tx });
}

export async function prefixOfSession({ caller }: Scope, id: string): Promise<string[]> {
  const found = await SessionModel.findOne({ organizationId: caller.organizationId, _id: id }, { prefix: 1 }).lean();
  return found ? [found.prefix] : [];
}

/** For sessions that act as a user, and for those opened with a key. */
export async function prefixesOfSessions(
  { caller: { organizationId } }: Scope,
  { userIds = [], keyIds }: { readonly userIds?: readonly string[]; readonly keyIds: readonly string[] },
): Promise<string[]> {
  const active = async (of: Record<string, unknown>) =>
    SessionModel.aggregate<SessionDocument>([
      { $match: { organizationId, ...of, expiresAt: notExpired() } },
      notRevoked(),
    ]);
  const found = await Promise.all([
    userIds.length === 0 ? [] : active({ userId: { $in: userIds } }),
    keyIds.length === 0 ? [] : active({ keyId: { $in: keyIds } }),
  ]);
  return [...new Set(found.flat().map(({ prefix }) => prefix))];
}

/** Without an organization: this lookup is what finds it. */
export async function activeSessionsByPrefix(prefixes: readonly string[]): Promise<SessionDocument[]> {
  const now = Date.now();
  const found = await SessionModel.find({ prefix: oneOf(prefixes) }).lean();
  return found.filter(({ revokedAt, expiresAt }) => !revokedAt && expiresAt.getTime() > now);
}

function recordOf(document: SessionDocument): Session {
  return {
    id: document._id,
    prefix: document.prefix,
    userId: document.userId,
    keyId: document.keyId,
    permissions: document.permissions,
    createdAt: document.createdAt.toISOString(),
    lastUsedAt: document.lastUsedAt?.toISOString() ?? null,
    expiresAt: document.expiresAt.toISOString(),
    revokedAt: document.revokedAt?.toISOString() ?? null,
  };
}
