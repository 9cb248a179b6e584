import type { recordUse } from '@worktrack/contracts/keys/identity';
import type { listKeys } from '@worktrack/contracts/keys/keys';
import { type ApiKey, DEFAULT_KEY_RATE, type KeyRate } from '@worktrack/contracts/keys/records';
import type { Input } from '@worktrack/contracts/operation';
import type { Permission } from '@worktrack/contracts/permissions';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { type KeyDocument, KeyModel } from './keys.model.ts';

export async function insertKey(
  { caller, tx }: TransactionalScope,
  key: Pick<KeyDocument, 'name' | 'prefix' | 'hash' | 'userId' | 'createdBy' | 'expiresAt'> & {
    readonly permissions: readonly Permission[];
    readonly rateLimit: KeyRate;
  },
): Promise<ApiKey> {
  const document: KeyDocument = {
    ...key,
    permissions: [...key.permissions],
    _id: uuidv7(),
    organizationId: caller.organizationId,
    createdAt: new Date(),
    lastUsedAt: null,
    revokedAt: null,
  };
  await KeyModel.create([document], { session: tx });
  return recordOf(document);
}

/**
 * A second `$match` on purpose. The server of the one-machine stack uses an index only when it covers every condition of a stage;
 * MongoDB joins the two and loses nothing.
 */
const active = () => ({ $match: { revokedAt: null, expiresAt: { $not: { $lte: new Date() } } } });

export async function keysOfOrganization(
  { caller }: Scope,
  { includeRevoked }: Input<typeof listKeys>,
): Promise<ApiKey[]> {
  const documents = await KeyModel.aggregate<KeyDocument>([
    { $match: { organizationId: caller.organizationId } },
    ...(includeRevoked ? [] : [active()]),
    { $sort: { _id: -1 } },
  ]);
  return documents.map(recordOf);
}

export async function countActiveKeys({ caller, tx }: TransactionalScope): Promise<number> {
  const [counted] = await KeyModel.aggregate<{ keys: number }>([
    { $match: { organizationId: caller.organizationId } },
    active(),
    { $count: 'keys' },
  ]).session(tx);
  return counted?.keys ?? 0;
}

/** @returns null: never */
export async function expiryOf({ caller, tx }: TransactionalScope, id: string): Promise<Date | null> {
  const { organizationId } = caller;
  const key = await KeyModel.findOne({ organizationId, _id: id }, { expiresAt: 1 }).session(tx).lean();
  if (!key) throw new Error(`There is no key ${id}, although it has made a call.`);
  return key.expiresAt;
}

/** The first revocation counts: a repeated one changes nothing. */
export async function markRevoked(
  { caller, tx }: TransactionalScope,
  id: string,
): Promise<{ readonly revokedAt: Date } | undefined> {
  const { organizationId } = caller;
  const key = await KeyModel.findOne({ organizationId, _id: id }).session(tx).lean();
  if (!key) return undefined;
  if (key.revokedAt) return { revokedAt: key.revokedAt };
  const revokedAt = new Date();
  await KeyModel.updateOne({ organizationId, _id: id }, { $set: { revokedAt } }, { session: tx });
  return { revokedAt };
}

export async function prefixOfKey({ caller }: Scope, id: string): Promise<string[]> {
  const key = await KeyModel.findOne({ organizationId: caller.organizationId, _id: id }, { prefix: 1 }).lean();
  return key ? [key.prefix] : [];
}

export async function prefixesOfUser({ caller }: Scope, userId: string): Promise<string[]> {
  const { organizationId } = caller;
  const keys = await KeyModel.aggregate<KeyDocument>([{ $match: { organizationId, userId } }, active()]);
  return keys.map((key) => key.prefix);
}

/** Without an organization: this look-up is what finds it. */
export async function activeKeysByPrefix(prefixes: readonly string[]): Promise<Map<string, KeyDocument>> {
  const found = await KeyModel.aggregate<KeyDocument>([{ $match: { prefix: { $in: prefixes } } }, active()]);
  return new Map(found.map((key) => [key.prefix, key]));
}

/** The later time wins, so reports may come twice and in any order. */
export async function noteUses(uses: Input<typeof recordUse>['uses']): Promise<void> {
  await KeyModel.bulkWrite(
    uses.map(({ organizationId, keyId, at }) => ({
      updateOne: { filter: { organizationId, _id: keyId }, update: { $max: { lastUsedAt: new Date(at) } } },
    })),
    { ordered: false },
  );
}

export function rateOf({ rateLimit }: KeyDocument): KeyRate {
  const { requests, windowSeconds } = rateLimit ?? DEFAULT_KEY_RATE;
  return { requests, windowSeconds };
}

function recordOf(document: KeyDocument): ApiKey {
  return {
    id: document._id,
    name: document.name,
    prefix: document.prefix,
    permissions: document.permissions,
    rateLimit: rateOf(document),
    userId: document.userId,
    createdBy: document.createdBy,
    createdAt: document.createdAt.toISOString(),
    lastUsedAt: document.lastUsedAt?.toISOString() ?? null,
    expiresAt: document.expiresAt?.toISOString() ?? null,
    revokedAt: document.revokedAt?.toISOString() ?? null,
  };
}
