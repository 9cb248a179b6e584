import { oneOf } from '@worktrack/runtime/database/one-of';
import type { Scope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose, { type ClientSession } from 'mongoose';
import { type GrantTokenDocument, GrantTokenModel } from './grant-tokens.model.ts';
import type { GrantDocument } from './grants.model.ts';

const ACCESS_TOKEN_MS = 60 * 60_000;
/** How long a refresh token that was replaced is remembered: whoever uses it by then has stolen it, or was robbed. */
const REPLACED_KEPT_MS = 30 * 24 * 60 * 60_000;

type Secret = Pick<GrantTokenDocument, 'prefix' | 'hash'>;

/**
 * The tokens that an app has from now on. A refresh token lasts as long as its grant.
 * @returns the access token
 */
export async function insertTokens(
  tx: ClientSession,
  { _id: grantId, organizationId, userId, grantedUntil }: GrantDocument,
  { access, refresh }: { readonly access: Secret; readonly refresh: Secret },
): Promise<GrantTokenDocument> {
  const createdAt = new Date();
  const hour = new Date(Math.min(createdAt.getTime() + ACCESS_TOKEN_MS, grantedUntil.getTime()));
  const common = { organizationId, grantId, userId, createdAt, replacedAt: null };
  const token: GrantTokenDocument = { ...common, ...access, _id: uuidv7(), kind: 'access', expiresAt: hour };
  await GrantTokenModel.create(
    [token, { ...common, ...refresh, _id: uuidv7(), kind: 'refresh', expiresAt: grantedUntil }],
    { session: tx, ordered: true },
  );
  return token;
}

/** Without an organization: this lookup is what finds it. */
export async function grantTokensByPrefix(
  prefixes: readonly string[],
  tx?: ClientSession,
): Promise<GrantTokenDocument[]> {
  const found = await GrantTokenModel.find({ prefix: oneOf(prefixes) }, null, { session: tx }).lean();
  return found.filter(({ expiresAt }) => expiresAt.getTime() > Date.now());
}

/** For a refresh token that the transaction has read, and that was not replaced. */
export async function markReplaced(
  tx: ClientSession,
  { _id, organizationId, expiresAt }: GrantTokenDocument,
): Promise<void> {
  const replacedAt = new Date();
  const keptUntil = new Date(Math.min(expiresAt.getTime(), replacedAt.getTime() + REPLACED_KEPT_MS));
  await GrantTokenModel.updateOne(
    { organizationId, _id },
    { $set: { replacedAt, expiresAt: keptUntil } },
    { session: tx },
  );
}

export async function removeToken(tx: ClientSession, { _id, organizationId }: GrantTokenDocument): Promise<void> {
  await GrantTokenModel.deleteOne({ organizationId, _id }, { session: tx });
}

/** Of the access tokens that are not over: those of a grant, or of all grants of these users. */
export async function prefixesOfAccessTokens(
  { caller: { organizationId } }: Scope,
  of: { readonly grantId: string } | { readonly userIds: readonly string[] },
): Promise<string[]> {
  const whose = 'userIds' in of ? { userId: oneOf(of.userIds) } : of;
  const found = await GrantTokenModel.find(
    { organizationId, ...whose, kind: 'access', expiresAt: mongoose.trusted({ $gt: new Date() }) },
    { prefix: 1 },
  ).lean();
  return found.map(({ prefix }) => prefix);
}
