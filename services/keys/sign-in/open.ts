import type { AuditContext } from '@worktrack/contracts/audit/entry';
import type { OperationError } from '@worktrack/contracts/errors';
import type { Presented } from '@worktrack/contracts/keys/identity';
import type { InvitationEnd } from '@worktrack/contracts/keys/invitations';
import { CODE_MARK } from '@worktrack/contracts/keys/key-format';
import type { openSession as operation } from '@worktrack/contracts/keys/sessions';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { Permission } from '@worktrack/contracts/permissions';
import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { oneAtATime } from '@worktrack/runtime/database/one-at-a-time';
import { enterOf } from '@worktrack/runtime/database/outbox/audited';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { InvitationDocument } from '../invitations/invitations.model.ts';
import { invitationByPrefix, markUsed } from '../invitations/invitations.repository.ts';
import type { KeyDocument } from '../keys/keys.model.ts';
import { activeKeysById, activeKeysByPrefix, endedKey, keyById, noteRefusedSignIn } from '../keys/keys.repository.ts';
import type { KeyMint } from '../keys/mint.ts';
import { activeSessionsByPrefix, countActiveSessions, insertSession } from '../sessions/sessions.repository.ts';
import { tellOfInvitation, userById } from '../users/users.repository.ts';
import { codeByPrefix, deleteCode } from './codes.repository.ts';

/** Far more browsers than one person has, and few enough to end them all with one command. */
export const MAX_ACTIVE_SESSIONS_PER_USER = 1_000;

type Context = WriteContext<FailureOf<typeof operation>>;

interface Origin {
  readonly key: KeyDocument;
  readonly userId: string;
  readonly permissions: Permission[];
}

export async function openSession(
  mint: KeyMint,
  { token, by, from }: Input<typeof operation>,
  context: Context,
): Promise<Output<typeof operation>> {
  const { tx, writes, fail } = context;
  const sender = { address: null, userAgent: null, ...from, requestId: context.requestId };
  const { origin, invitation, refusal } = await proofOf(mint, by, context);
  const scope = origin && { caller: { organizationId: origin.key.organizationId }, tx, writes };
  if (!scope || !(await isEnabled(scope, origin.userId)) || !(await isEnabled(scope, origin.key.userId))) {
    // If this call has opened its session before, it is refused for what it has used itself.
    const isOwnUse = (await activeSessionsByPrefix([token.prefix])).length > 0;
    const tried = origin ?? (invitation && (await pastOriginOf(invitation, context)));
    if (!isOwnUse) await enterRefusal(mint, by, tried, sender, context);
    throw refusal();
  }
  const { key, userId, permissions } = origin;
  if ((await countActiveSessions(scope, userId)) >= MAX_ACTIVE_SESSIONS_PER_USER) {
    throw fail(
      'CONFLICT',
      `The user is signed in ${MAX_ACTIVE_SESSIONS_PER_USER} times, which is the limit. End some of these sessions: DELETE /api/sessions/:id.`,
      { reason: 'limit' },
    );
  }
  await oneAtATime(scope, `sessions of ${userId}`);
  // With rotations of the key.
  await oneAtATime(scope, `sessions of ${key._id}`);
  const secret = { prefix: token.prefix, hash: mint.hashOf(token.digest) };
  const session = await insertSession(scope, { ...secret, userId, keyId: key._id, permissions }, key.expiresAt);
  if (invitation) {
    await markUsed(context, invitation);
    const caller = { organizationId: key.organizationId, userId, keyId: session.id };
    await tellOfInvitation({ ...context, caller }, userId, { from: invitation.expiresAt });
  }
  const user = await userById(scope, userId);
  enterOf(writes, key.organizationId, {
    action: SIGN_IN,
    actor: { type: 'user', id: userId, name: user?.name ?? null, userId },
    targets: [{ type: 'session', id: session.id, name: null }],
    context: sender,
  });
  return { expiresAt: session.expiresAt };
}

/** What somebody signs in with. */
interface Proof {
  /** undefined: it is not good, or no longer. */
  readonly origin: Origin | undefined;
  /** Of which it is the code, whatever has become of it. */
  readonly invitation?: InvitationDocument;
  /** What is answered if it signs nobody in. */
  readonly refusal: () => OperationError;
}

/** A key, a login code or the code of an invitation: codes of both kinds look alike. */
async function proofOf(mint: KeyMint, by: Presented, context: Context): Promise<Proof> {
  const refused = (message: string) => () => context.fail('API_KEY_INVALID', message);
  if (!by.prefix.startsWith(CODE_MARK)) {
    const refusal = refused('The API key is unknown, malformed, revoked or expired.');
    return { origin: await originOfKey(mint, by, context), refusal };
  }
  const invitation = await invitationOf(mint, by, context);
  if (invitation) {
    const origin = await originOfInvitation(invitation, context);
    return { origin, invitation, refusal: () => refusalOf(invitation, context) };
  }
  const refusal = refused(
    'The link has been used, is older than ten minutes, or is unknown. Create another one: `worktrack login-link`.',
  );
  return { origin: await originOfCode(mint, by, context), refusal };
}

/** As it is called in the audit log. */
const SIGN_IN = 'sessions.create';

/** Codes are counted by address. A key that was revoked is refused for nothing, however often it is tried, and whoever has it could fill the log. */
const KEY_ENTERED_EVERY_MS = 60_000;

/** Of a try with what was once good. In a write of its own, since the refusal ends this one; under the call's id, since it may run several times. */
async function enterRefusal(
  mint: KeyMint,
  by: Presented,
  origin: Origin | undefined,
  sender: AuditContext,
  { idempotencyKey = uuidv7() }: Context,
): Promise<void> {
  const key = origin?.key ?? (await endedKey(by.prefix));
  if (!key || (!origin && !mint.recognises(key.hash, by.digest))) return;
  const userId = origin?.userId ?? key.userId;
  const isKey = !by.prefix.startsWith(CODE_MARK);
  try {
    await commitAlone(async ({ writes, tx }) => {
      if (isKey && !(await noteRefusedSignIn(key, KEY_ENTERED_EVERY_MS, tx))) return;
      enterOf(writes, key.organizationId, {
        id: idempotencyKey,
        action: SIGN_IN,
        actor: { type: 'key', id: key._id, name: key.name, userId },
        targets: [],
        context: sender,
        outcome: 'denied',
      });
    });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

async function originOfCode(mint: KeyMint, by: Presented, context: Context): Promise<Origin | undefined> {
  const code = await codeByPrefix(context, by.prefix);
  if (!code || !mint.recognises(code.hash, by.digest)) return undefined;
  await deleteCode(context, code);
  return originOf(code, context);
}

/** @param made the code, by whoever could have opened the same session themselves */
async function originOf(
  { keyId, userId, permissions }: Pick<InvitationDocument, 'keyId' | 'userId' | 'permissions'>,
  context: Context,
): Promise<Origin | undefined> {
  const key = (await activeKeysById([keyId], context.tx)).get(keyId);
  const origin = key && (await newest(key, context));
  return origin && { key: origin, userId, permissions };
}

/** Whatever has become of it: whoever has its link is told. */
async function invitationOf(mint: KeyMint, by: Presented, context: Context): Promise<InvitationDocument | undefined> {
  const invitation = await invitationByPrefix(context, by.prefix);
  return invitation && mint.recognises(invitation.hash, by.digest) ? invitation : undefined;
}

async function originOfInvitation(invitation: InvitationDocument, context: Context): Promise<Origin | undefined> {
  return endOf(invitation) === undefined ? originOf(invitation, context) : undefined;
}

function endOf({ state, expiresAt }: InvitationDocument): InvitationEnd | undefined {
  if (state !== 'open') return state;
  return expiresAt.getTime() > Date.now() ? undefined : 'expired';
}

/** For the audit log: what was once good. */
async function pastOriginOf(
  { organizationId, keyId, userId, permissions }: InvitationDocument,
  { tx }: Context,
): Promise<Origin | undefined> {
  const key = await keyById({ caller: { organizationId }, tx }, keyId);
  return key && { key, userId, permissions };
}

/** The words are the same for all that have one, whichever organization it is: who invites and where is in the mail. */
function refusalOf(invitation: InvitationDocument, { fail }: Context) {
  // As good as expired: the key that it was made with has ended, or somebody is disabled.
  const end = endOf(invitation) ?? 'expired';
  const why = {
    used: 'This invitation has been used: its link signs in once.',
    expired: 'This invitation has ended.',
    replaced: 'This invitation was replaced by a newer one. Use the link that was sent last.',
    withdrawn: 'This invitation was withdrawn.',
  }[end];
  const message = `${why} Ask whoever invited you for another.`;
  return fail('API_KEY_INVALID', message, { details: [{ path: 'invitation', message: end }] });
}

async function originOfKey(mint: KeyMint, by: Presented, context: Context): Promise<Origin | undefined> {
  const key = (await activeKeysByPrefix([by.prefix], context.tx)).get(by.prefix);
  if (!key || !mint.recognises(key.hash, by.digest)) return undefined;
  const origin = await newest(key, context);
  return origin && { key: origin, userId: key.userId, permissions: key.permissions };
}

/** Sessions belong to the key that replaced the one that opens them, and so outlive the overlap. @returns undefined if that has ended */
async function newest(key: KeyDocument, { tx }: Context): Promise<KeyDocument | undefined> {
  let origin: KeyDocument | undefined = key;
  while (origin?.replacedBy) origin = (await activeKeysById([origin.replacedBy], tx)).get(origin.replacedBy);
  return origin;
}

async function isEnabled(scope: Parameters<typeof userById>[0], userId: string): Promise<boolean> {
  return (await userById(scope, userId))?.disabled === false;
}
