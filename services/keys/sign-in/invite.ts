import {
  type invitedBefore as invitedBeforeOp,
  makeInvitation as operation,
} from '@worktrack/contracts/keys/invitations';
import { CODE_MARK } from '@worktrack/contracts/keys/key-format';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext, WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { answerBefore } from '@worktrack/runtime/database/handlers/run-write';
import { takeAccessTurn } from '../access-turn.ts';
import { endInvitation, insertInvitation } from '../invitations/invitations.repository.ts';
import type { KeyMint } from '../keys/mint.ts';
import { tellOfInvitation } from '../users/users.repository.ts';
import { requireToLetIn } from './let-in.ts';

/** In place of the one before, whose link signs nobody in any more: there is one for a user, and the last one sent is good. */
export async function inviteUser(
  mint: KeyMint,
  { userId }: Input<typeof operation>,
  context: WriteContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const { caller } = context;
  const { user, key } = await requireToLetIn(context, userId);
  await takeAccessTurn(context);
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

export async function invitedBefore(
  { idempotencyKey, userId }: Input<typeof invitedBeforeOp>,
  { caller }: ReadContext,
): Promise<Output<typeof invitedBeforeOp>> {
  return (await answerBefore(operation, { idempotencyKey, caller }, () => ({ userId }))) ?? null;
}
