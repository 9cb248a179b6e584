import type { EventType } from '@worktrack/contracts/events/event';
import type { recordUse } from '@worktrack/contracts/keys/identity';
import { type listKeys, MAX_LISTED_KEYS } from '@worktrack/contracts/keys/keys';
import { type ApiKey, DEFAULT_KEY_RATE, type KeyRate, type RoleLimit } from '@worktrack/contracts/keys/records';
import type { Input } from '@worktrack/contracts/operation';
import type { Permission } from '@worktrack/contracts/permissions';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { emit } from '@worktrack/runtime/database/outbox/outbox.repository';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import type { AnyModel } from '@worktrack/runtime/database/walk-index';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose, { type ClientSession } from 'mongoose';
import type { TellingScope } from '../telling-scope.ts';
import { type KeyDocument, KeyModel } from './keys.model.ts';

export async function insertKey(
  scope: TellingScope,
  key: Pick<KeyDocument, 'name' | 'prefix' | 'hash' | 'userId' | 'createdBy' | 'expiresAt'> & {
    readonly permissions: readonly Permission[];
    readonly rateLimit: KeyRate;
    readonly projects: readonly string[] | null;
    readonly roleLimit?: RoleLimit | undefined;
    readonly rotatedFrom?: { readonly id: string; readonly prefix: string };
  },
): Promise<ApiKey> {
  const { projects, ...rest } = key;
  const document: KeyDocument = {
    ...rest,
    permissions: [...key.permissions],
    ...(projects && { projects: [...projects] }),
    _id: uuidv7(),
    organizationId: scope.caller.organizationId,
    createdAt: new Date(),
    lastUsedAt: null,
    revokedAt: null,
    revision: 1,
  };
  await KeyModel.create([document], { session: scope.tx });
  const { name, userId, createdBy, permissions, rateLimit, expiresAt } = document;
  const limited = projects && { projects };
  tell(scope, document, 'key.created', { name, userId, createdBy, permissions, ...limited, rateLimit, expiresAt });
  return recordOf(document);
}

/** Nothing by which a key could be recognized: neither the key nor its hash nor its prefix. @param key as it is after the write */
function tell(
  scope: TellingScope,
  { _id: id, revision = 0 }: Pick<KeyDocument, '_id' | 'revision'>,
  type: Extract<EventType, `key.${string}`>,
  data: Readonly<Record<string, unknown>>,
): void {
  emit(scope, { type, subject: { kind: 'key', id }, revision, data, ...(scope.isUnattended && { actor: null }) });
}

const active = () => ({ revokedAt: null, expiresAt: { $not: { $lte: new Date() } } });

export async function keysOfOrganization(
  { caller }: Scope,
  { includeRevoked, cursor }: Input<typeof listKeys>,
  onlyId?: string,
): Promise<ApiKey[]> {
  const documents = await KeyModel.aggregate<KeyDocument>([
    {
      $match: {
        organizationId: caller.organizationId,
        ...(cursor !== undefined && { _id: { $lt: cursor } }),
        ...(!includeRevoked && active()),
      },
    },
    // To a limited key there is no other.
    ...(onlyId === undefined ? [] : [{ $match: { _id: onlyId } }]),
    { $sort: { _id: -1 } },
    { $limit: MAX_LISTED_KEYS },
  ]);
  return documents.map(recordOf);
}

export async function countActiveKeys({ caller, tx }: TransactionalScope): Promise<number> {
  const [counted] = await KeyModel.aggregate<{ keys: number }>(
    [{ $match: { organizationId: caller.organizationId, ...active() } }, { $group: { _id: null, keys: { $sum: 1 } } }],
    { session: tx },
  );
  return counted?.keys ?? 0;
}

/** Those that were made by rotation, each of the one before, since the first key of the line, and that still work or are younger than this. All act as the same user. */
export async function countKeysOfLine(
  { caller: { organizationId }, tx }: TransactionalScope,
  userId: string,
  firstId: string,
  youngerThanMs: number,
): Promise<number> {
  const young = { createdAt: { $gt: new Date(Date.now() - youngerThanMs) } };
  const [counted] = await KeyModel.aggregate<{ keys: number }>(
    [
      { $match: { organizationId, userId, 'rotatedFrom.id': firstId } },
      { $match: { $or: [active(), young] } },
      { $group: { _id: null, keys: { $sum: 1 } } },
    ],
    { session: tx },
  );
  return counted?.keys ?? 0;
}

export async function keyById({ caller, tx }: TransactionalScope, id: string): Promise<KeyDocument | undefined> {
  const { organizationId } = caller;
  return (await KeyModel.findOne({ organizationId, _id: id }, null, { session: tx }).lean()) ?? undefined;
}

/** For a key that the transaction has read, and that is not revoked. */
export async function markRevoked(scope: TellingScope, key: KeyDocument): Promise<Date> {
  const { caller, tx } = scope;
  const { organizationId } = caller;
  const revokedAt = new Date();
  const { _id: id, name, userId, revision = 0 } = key;
  await KeyModel.updateOne(
    { organizationId, _id: id },
    { $set: { revokedAt }, $inc: { revision: 1 } },
    { session: tx },
  );
  tell(scope, { _id: id, revision: revision + 1 }, 'key.revoked', { name, userId });
  return revokedAt;
}

/** For a key that the transaction has read, and that is active. */
export async function markReplaced(
  { caller: { organizationId }, tx }: TellingScope,
  { _id }: KeyDocument,
  replacedBy: string,
  expiresAt: Date,
): Promise<void> {
  await KeyModel.updateOne(
    { organizationId, _id },
    { $set: { replacedBy, expiresAt }, $inc: { revision: 1 } },
    { session: tx },
  );
}

export function isActiveKey({ revokedAt, expiresAt }: KeyDocument): boolean {
  return !revokedAt && (!expiresAt || expiresAt.getTime() > Date.now());
}

export async function prefixOfKey({ caller }: Scope, id: string): Promise<string[]> {
  const key = await KeyModel.findOne({ organizationId: caller.organizationId, _id: id }, { prefix: 1 }).lean();
  return key ? [key.prefix] : [];
}

/** The keys that are neither revoked nor expired. */
export async function activeKeysOfUsers({ caller }: Scope, userIds: readonly string[]): Promise<KeyDocument[]> {
  const { organizationId } = caller;
  if (userIds.length === 0) return [];
  return KeyModel.aggregate<KeyDocument>([{ $match: { organizationId, userId: { $in: userIds }, ...active() } }]);
}

/** Without an organization: this lookup is what finds it. */
export async function activeKeysByPrefix(
  prefixes: readonly string[],
  tx?: ClientSession,
): Promise<Map<string, KeyDocument>> {
  const found = await KeyModel.aggregate<KeyDocument>([{ $match: { prefix: { $in: prefixes }, ...active() } }], {
    session: tx,
  });
  return new Map(found.map((key) => [key.prefix, key]));
}

/** Whatever has become of it. */
export async function endedKey(prefix: string): Promise<KeyDocument | undefined> {
  return (await KeyModel.findOne({ prefix }).lean()) ?? undefined;
}

/** Across organizations: each id comes from a session or a code of its key's organization. */
export async function activeKeysById(ids: readonly string[], tx?: ClientSession): Promise<Map<string, KeyDocument>> {
  const found = await KeyModel.aggregate<KeyDocument>([{ $match: { _id: { $in: ids }, ...active() } }], {
    session: tx,
  });
  return new Map(found.map((key) => [key._id, key]));
}

/** Keys that were replaced, active or not, and not revoked: by their prefixes or ids, which come from the keys themselves. */
export async function replacedKeys(
  by: { readonly prefix: readonly string[] } | { readonly _id: readonly string[] },
): Promise<KeyDocument[]> {
  const [[field, values] = ['_id', []]] = Object.entries(by) as [string, readonly string[]][];
  if (values.length === 0) return [];
  const found = await KeyModel.find({ [field]: oneOf(values) }).lean();
  return found.filter(({ replacedBy, revokedAt }) => replacedBy && !revokedAt);
}

export async function isLateUseReported({ organizationId, _id }: KeyDocument, at: Date): Promise<boolean> {
  const key = await KeyModel.findOne({ organizationId, _id }, { usedAfterRotationAt: 1 }).lean();
  return key?.usedAfterRotationAt?.getTime() === at.getTime();
}

/** @returns whether the last refusal of the key that was noted is that old, so that this one is */
export async function noteRefusedSignIn(
  { organizationId, _id }: KeyDocument,
  afterMs: number,
  tx: ClientSession,
): Promise<boolean> {
  const at = new Date();
  const isOld = { $not: { $gt: new Date(at.getTime() - afterMs) } };
  const { modifiedCount } = await KeyModel.updateOne(
    { organizationId, _id, signInRefusedAt: mongoose.trusted(isOld) },
    { $set: { signInRefusedAt: at } },
    { session: tx },
  );
  return modifiedCount > 0;
}

/** The later time wins, so reports may come twice and in any order. @param of keys, or what is used like one */
export async function noteUses(of: AnyModel, uses: Input<typeof recordUse>['uses']): Promise<void> {
  if (uses.length === 0) return;
  await of.bulkWrite(
    uses.map(({ organizationId, keyId, at }) => ({
      updateOne: { filter: { organizationId, _id: keyId }, update: { $max: { lastUsedAt: new Date(at) } } },
    })),
    { ordered: false },
  );
}

export function rateOf({ rateLimit }: Pick<KeyDocument, 'rateLimit'>): KeyRate {
  const { requests, windowSeconds } = rateLimit ?? DEFAULT_KEY_RATE;
  return { requests, windowSeconds };
}

function recordOf(document: KeyDocument): ApiKey {
  return {
    id: document._id,
    name: document.name,
    prefix: document.prefix,
    permissions: document.permissions,
    projects: document.projects ?? null,
    rateLimit: rateOf(document),
    userId: document.userId,
    createdBy: document.createdBy,
    createdAt: document.createdAt.toISOString(),
    lastUsedAt: document.lastUsedAt?.toISOString() ?? null,
    expiresAt: document.expiresAt?.toISOString() ?? null,
    revokedAt: document.revokedAt?.toISOString() ?? null,
    replacedBy: document.replacedBy ?? null,
  };
}
