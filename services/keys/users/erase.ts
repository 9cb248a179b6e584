import type { User } from '@worktrack/contracts/keys/records';
import type { eraseUser as operation } from '@worktrack/contracts/keys/users';
import type { FailureOf, Input } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { audited } from '@worktrack/runtime/database/outbox/audited';
import { takeAccessTurn } from '../access-turn.ts';
import { eraseIdentity, userById } from './users.repository.ts';

/** Here at once; in the logs, which hold copies, as soon as they take in the event that tells of it. */
export async function eraseUser(
  { id }: Input<typeof operation>,
  context: WriteContext<FailureOf<typeof operation>>,
): Promise<User> {
  const user = await userById(context, id);
  if (!user) throw context.fail('NOT_FOUND', `There is no user ${id} in your organization. GET /api/users lists them.`);
  if (!user.disabled) {
    throw context.fail('CONFLICT', `${user.email} is not disabled. Disable the user first: PATCH /api/users/${id}.`);
  }
  await takeAccessTurn(context);
  audited(context.writes, { targets: [{ type: 'user', id, name: null }], changes: [] });
  return eraseIdentity(context, user);
}
