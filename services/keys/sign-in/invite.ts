import type { makeInvitation as operation } from '@worktrack/contracts/keys/invitations';
import { CODE_MARK } from '@worktrack/contracts/keys/key-format';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { takeAccessTurn } from '../access-turn.ts';
import { endInvitation, insertInvitation, invitationsSince } from '../invitations/invitations.repository.ts';
import type { KeyMint } from '../keys/mint.ts';
import { tellOfInvitation } from '../users/users.repository.ts';
import { requireToLetIn } from './let-in.ts';

type Context = WriteContext<FailureOf<typeof operation>>;

const DAY_MS = 24 * 60 * 60_000;
/** Enough for mails that were lost; the link is in each answer, too. */
const MAX_OF_USER = 5;
/** Enough to invite all of a company that begins. */
const MAX_OF_ORGANIZATION = 500;

/** In place of the one before, whose link signs nobody in any more: there is one for a user, and the last one sent is good. */
export async function inviteUser(
  mint: KeyMint,
  { userId }: Input<typeof operation>,
  context: Context,
): Promise<Output<typeof operation>> {
  const { caller } = context;
  const { user, key } = await requireToLetIn(context, userId);
  await takeAccessTurn(context);
  await requireFew(context, userId);
  const before = await endInvitation(context, userId, 'replaced');
  const { key: code, ...secret } = mint.make(CODE_MARK);
  const { _id: invitationId, expiresAt } = await insertInvitation(
    context,
    { ...secret, userId, invitedBy: caller.userId, keyId: key._id, permissions: [...caller.permissions] },
    key.expiresAt,
  );
  await tellOfInvitation(context, userId, { from: before?.expiresAt, to: expiresAt });
  return { invitationId, userId, code, email: user.email, expiresAt: expiresAt.toISOString() };
}

/** Each mails somebody who may never have asked for it. After the turn was taken: of several at once, each sees those before it. */
async function requireFew(context: Context, userId: string): Promise<void> {
  const nowMs = Date.now();
  const made = await invitationsSince(context, new Date(nowMs - DAY_MS));
  const refuseBeyond = (max: number, what: string, counted: typeof made) => {
    const first = counted.at(-max);
    if (!first) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((first.createdAt.getTime() + DAY_MS - nowMs) / 1000));
    throw context.fail('RATE_LIMITED', `${what} ${max} times in a day. Try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    });
  };
  const ofUser = made.filter((invitation) => invitation.userId === userId);
  refuseBeyond(MAX_OF_USER, 'A user may be invited', ofUser);
  refuseBeyond(MAX_OF_ORGANIZATION, 'An organization may invite users', made);
}
