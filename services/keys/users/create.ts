import type { User } from '@worktrack/contracts/keys/records';
import type { createUser as operation } from '@worktrack/contracts/keys/users';
import type { FailureOf, Input } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { takeAccessTurn } from '../access-turn.ts';
import { requireLimitable, requireRoleWithin } from './role-within.ts';
import { insertUser } from './users.repository.ts';

export async function createUser(
  input: Input<typeof operation>,
  context: WriteContext<FailureOf<typeof operation>>,
): Promise<User> {
  await requireRoleWithin(context, input.role, 'role');
  requireLimitable(input, context);
  await takeAccessTurn(context);
  const user = await insertUser(context, input);
  if (!user)
    throw context.fail('CONFLICT', `A user with the address ${input.email} is already in your organization.`, {
      reason: 'taken',
    });
  return user;
}
