import type { withdrawInvitation as operation } from '@worktrack/contracts/keys/invitations';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { takeAccessTurn } from '../access-turn.ts';
import { endInvitation } from '../invitations/invitations.repository.ts';
import { requireRoleWithin } from '../users/role-within.ts';
import { tellOfInvitation, userById } from '../users/users.repository.ts';

/** Also one that has ended unused, so that it is no longer listed. */
export const withdrawInvitation: WriteAlone<typeof operation> = async ({ userId }, context) => {
  const { fail } = context;
  const user = await userById(context, userId);
  if (!user) throw fail('NOT_FOUND', `There is no user ${userId} in your organization. GET /api/users lists them.`);
  await requireRoleWithin(context, user.role, 'userId');
  await takeAccessTurn(context);
  const withdrawn = await endInvitation(context, userId, 'withdrawn');
  if (!withdrawn) throw fail('NOT_FOUND', `${user.email} has no invitation that could still be used.`);
  await tellOfInvitation(context, userId, { from: withdrawn.expiresAt });
  return { userId, withdrawnAt: new Date().toISOString() };
};
