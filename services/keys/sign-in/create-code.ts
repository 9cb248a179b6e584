import { CODE_MARK } from '@worktrack/contracts/keys/key-format';
import type { createLoginCode as operation } from '@worktrack/contracts/keys/sessions';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { keyOfCaller } from '../keys/key-of-caller.ts';
import type { KeyMint } from '../keys/mint.ts';
import { requireRoleWithin } from '../users/role-within.ts';
import { userById } from '../users/users.repository.ts';
import { insertCode } from './codes.repository.ts';

/** Its session may do no more than its creator, now and later: it has the creator's permissions, and belongs to the creator's key. */
export async function createLoginCode(
  mint: KeyMint,
  { userId: wanted }: Input<typeof operation>,
  context: WriteContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const { caller, fail } = context;
  const userId = wanted ?? caller.userId;
  const isOther = userId !== caller.userId;
  if (isOther && !caller.permissions.includes('users:write')) {
    throw fail('PERMISSION_DENIED', 'Signing in another user requires users:write. Leave `userId` out.');
  }
  if (isOther && caller.projects) {
    throw fail('PERMISSION_DENIED', 'Your key is limited to projects, so it cannot sign in another user.', {
      details: [{ path: 'userId', message: 'your key is limited to projects' }],
    });
  }
  const user = await userById(context, userId);
  if (!user) throw fail('NOT_FOUND', `There is no user ${userId} in your organization. GET /api/users lists them.`);
  if (isOther) await requireRoleWithin(context, user.role, 'userId');
  if (user.disabled) {
    throw fail('CONFLICT', `${user.email} is disabled. Enable the user before you create a code for them.`);
  }
  const key = await keyOfCaller(context);
  if (!key) throw fail('PERMISSION_DENIED', 'A token of a rule of trust signs nobody in. Use an API key.');
  const { _id: keyId } = key;
  const { key: code, ...secret } = mint.make(CODE_MARK);
  const { expiresAt } = await insertCode(context, { ...secret, userId, keyId, permissions: [...caller.permissions] });
  return { code, userId, expiresAt: expiresAt.toISOString() };
}
