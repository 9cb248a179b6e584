import type { Caller } from '@worktrack/contracts/caller';
import type { Fail } from '@worktrack/contracts/errors';
import type { User } from '@worktrack/contracts/keys/records';
import type { TransactionalScope } from '@worktrack/runtime/database/scope';
import { keyOfCaller } from '../keys/key-of-caller.ts';
import type { KeyDocument } from '../keys/keys.model.ts';
import { requireRoleWithin } from '../users/role-within.ts';
import { userById } from '../users/users.repository.ts';

/**
 * For whatever signs a user in: its session may do no more than the caller, now and later, so it has the caller's permissions and belongs to the caller's key.
 * @throws PERMISSION_DENIED also for a user who may do more than the caller
 */
export async function requireToLetIn(
  context: TransactionalScope & {
    readonly caller: Caller;
    readonly fail: Fail<'PERMISSION_DENIED' | 'NOT_FOUND' | 'CONFLICT' | 'VALIDATION_FAILED'>;
  },
  userId: string,
): Promise<{ readonly user: User; readonly key: KeyDocument }> {
  const { caller, fail } = context;
  const user = await userById(context, userId);
  if (!user) throw fail('NOT_FOUND', `There is no user ${userId} in your organization. GET /api/users lists them.`);
  if (userId !== caller.userId) await requireRoleWithin(context, user.role, 'userId');
  if (user.disabled) {
    throw fail('CONFLICT', `${user.email} is disabled. Enable the user before you let them in.`, {
      reason: 'user_disabled',
    });
  }
  const key = await keyOfCaller(context);
  if (!key) throw fail('PERMISSION_DENIED', 'A token of a rule of trust signs nobody in. Use an API key.');
  return { user, key };
}
