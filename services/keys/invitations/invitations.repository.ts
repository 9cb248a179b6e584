import { MAX_COUNTED } from '@worktrack/contracts/fields';
import { LISTED_DAYS_AFTER_ITS_END } from '@worktrack/contracts/keys/invitations';
import { INVITATION_DAYS } from '@worktrack/contracts/keys/records';
import { countInOrder, inOrder, type PageEnd } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose from 'mongoose';
import { type InvitationDocument, InvitationModel } from './invitations.model.ts';

const LIFE_MS = INVITATION_DAYS * 24 * 60 * 60_000;
const LISTED_AFTER_ITS_END_MS = LISTED_DAYS_AFTER_ITS_END * 24 * 60 * 60_000;

/** @param keyEndsAt when the key expires that it was made with, which it does not outlive */
export async function insertInvitation(
  { caller, tx }: TransactionalScope,
  invitation: Pick<InvitationDocument, 'userId' | 'invitedBy' | 'keyId' | 'prefix' | 'hash' | 'permissions'>,
  keyEndsAt: Date | null,
): Promise<InvitationDocument> {
  const createdAt = new Date();
  const document: InvitationDocument = {
    ...invitation,
    _id: uuidv7(),
    organizationId: caller.organizationId,
    state: 'open',
    createdAt,
    expiresAt: new Date(Math.min(createdAt.getTime() + LIFE_MS, keyEndsAt?.getTime() ?? Number.POSITIVE_INFINITY)),
  };
  await InvitationModel.create([document], { session: tx });
  return document;
}

/** Oldest first; the rule that asks makes them few. */
export async function invitationsSince(
  { caller: { organizationId }, tx }: TransactionalScope,
  since: Date,
): Promise<Pick<InvitationDocument, 'userId' | 'createdAt'>[]> {
  const filter = { organizationId, createdAt: mongoose.trusted({ $gt: since }) };
  return InvitationModel.find(
    filter,
    { _id: 0, userId: 1, createdAt: 1 },
    { sort: { createdAt: 1 }, session: tx },
  ).lean();
}

/** Without an organization: this lookup is what finds it. */
export async function invitationByPrefix(
  { tx }: Pick<TransactionalScope, 'tx'>,
  prefix: string,
): Promise<InvitationDocument | undefined> {
  return (await InvitationModel.findOne({ prefix }, null, { session: tx }).lean()) ?? undefined;
}

/** If two transactions take the same one, the database lets one pass; the other runs again, and finds it used. */
export async function markUsed(
  { tx }: Pick<TransactionalScope, 'tx'>,
  { organizationId, _id }: InvitationDocument,
): Promise<void> {
  await InvitationModel.updateOne({ organizationId, _id }, { $set: { state: 'used' } }, { session: tx });
}

/** @returns the one that this user had, of which one at most is open */
export async function endInvitation(
  { caller: { organizationId }, tx }: TransactionalScope,
  userId: string,
  state: 'replaced' | 'withdrawn',
): Promise<InvitationDocument | undefined> {
  const open = await InvitationModel.findOneAndUpdate(
    { organizationId, userId, state: 'open' },
    { $set: { state } },
    { session: tx },
  ).lean();
  return open ?? undefined;
}

/** To the key that replaced theirs. */
export async function moveInvitations({ caller, tx }: TransactionalScope, from: string, to: string): Promise<void> {
  const { organizationId } = caller;
  await InvitationModel.updateMany({ organizationId, keyId: from }, { $set: { keyId: to } }, { session: tx });
}

/** The last one of each of these users that is open or used. */
export async function invitationsOf(
  { caller: { organizationId } }: Scope,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, InvitationDocument>> {
  const found = await InvitationModel.find({
    organizationId,
    userId: oneOf(userIds),
    state: oneOf(['open', 'used']),
  }).lean();
  const listed = found
    .filter(({ createdAt }) => createdAt > listedSince())
    .sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  return new Map(listed.map((invitation) => [invitation.userId, invitation]));
}

/** Those that nobody has used, oldest first. */
export async function unusedInvitations(
  { caller }: Scope,
  { after, limit }: { readonly after: PageEnd | undefined; readonly limit: number },
): Promise<InvitationDocument[]> {
  return inOrder<InvitationDocument>(InvitationModel, { ...unused(caller), after, limit, present: [] });
}

export async function countUnusedInvitations({ caller }: Scope): Promise<number> {
  return countInOrder(InvitationModel, { ...unused(caller), limit: MAX_COUNTED });
}

const unused = ({ organizationId }: Scope['caller']) => ({
  filter: { organizationId, state: 'open' },
  order: { field: 'createdAt', direction: 1 } as const,
  range: { $gt: listedSince() },
});

/** The database removes what is older, within minutes. */
const listedSince = () => new Date(Date.now() - LIFE_MS - LISTED_AFTER_ITS_END_MS);
