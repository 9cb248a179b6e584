import { isDeepStrictEqual } from 'node:util';
import type { User } from '@worktrack/contracts/keys/records';
import type { updateUser as operation } from '@worktrack/contracts/keys/users';
import type { FailureOf, Input } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { takeAccessTurn } from '../access-turn.ts';
import { endInvitation } from '../invitations/invitations.repository.ts';
import { requireLimitable, requireRoleWithin } from './role-within.ts';
import { changeUser, countActiveOwners, isErased, type UserChange, userById } from './users.repository.ts';

/** Changes the given fields, never those of somebody with more permissions than the caller, and leaves the organization with at least one active owner. */
export async function updateUser(
  { id, ...given }: Input<typeof operation>,
  context: WriteContext<FailureOf<typeof operation>>,
): Promise<User> {
  const { fail } = context;
  const user = await userById(context, id);
  if (!user) throw fail('NOT_FOUND', `There is no user ${id} in your organization. GET /api/users lists them.`);
  await requireRoleWithin(context, user.role, 'id');
  if (given.role !== undefined) await requireRoleWithin(context, given.role, 'role');
  const change = difference(user, given);
  // With nothing to write there is nothing to conflict over when many ask for the same at once.
  if (Object.keys(change).length === 0) return user;
  // From the audit log everything that they do is erased as it is entered.
  if (isErased(user)) throw fail('CONFLICT', `The user ${id} was erased. Create another one: POST /api/users.`);
  requireLimitable({ ...user, ...change }, context);
  if (isActiveOwner(user) && !isActiveOwner({ ...user, ...change }) && (await countActiveOwners(context)) < 2) {
    throw fail(
      'CONFLICT',
      `${user.email} is the last active owner of the organization. Make another user an owner before you demote or disable this one.`,
      { reason: 'last_owner' },
    );
  }
  await takeAccessTurn(context);
  // For good: whoever enables the user again invites them again.
  if (change.disabled) await endInvitation(context, id, 'withdrawn');
  return changeUser(context, user, change);
}

function difference(user: User, given: UserChange): UserChange {
  const entries = Object.entries(given) as [keyof UserChange, unknown][];
  return Object.fromEntries(
    entries.filter(([field, value]) => value !== undefined && !isDeepStrictEqual(value, user[field])),
  );
}

function isActiveOwner(user: Pick<User, 'role' | 'disabled'>): boolean {
  return user.role === 'owner' && !user.disabled;
}
