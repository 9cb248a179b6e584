import type { withdrawInvitation as operation } from '@worktrack/contracts/keys/invitations';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { takeAccessTurn } from '../access-turn.ts';
import { endInvitation } from '../invitations/invitations.repository.ts';
import { requireRoleWithin } from '../users/role-within.ts';
import { tellOfInvitation, userById } from '../users/users.repository.ts';

/** Also one that has ended unused, so that it is no longer listed. */
export async function withdrawInvitation(
  { userId }: Input<typeof operation>,
  context: WriteContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const { fail } = context;
  const user = await userById(context, userId);
  if (!user) throw fail('NOT_FOUND', `There is no user ${userId} in your organization. GET /api/users lists them.`);
  await requireRoleWithin(context, user.role, 'userId');
  await takeAccessTurn(context);
  const withdrawn = await endInvitation(context, userId, 'withdrawn');
  if (!withdrawn) throw fail('NOT_FOUND', `${user.email} has no invitation that could still be used.`);
  await tellOfInvitation(context, userId, { from: withdrawn.expiresAt });
  return { userId, withdrawnAt: new Date().toISOString() };
}
