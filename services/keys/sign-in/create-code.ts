import { CODE_MARK } from '@worktrack/contracts/keys/key-format';
import type { createLoginCode as operation } from '@worktrack/contracts/keys/sessions';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import type { KeyMint } from '../keys/mint.ts';
import { insertCode } from './codes.repository.ts';
import { requireToLetIn } from './let-in.ts';

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
  const { key } = await requireToLetIn(context, userId);
  const { key: code, ...secret } = mint.make(CODE_MARK);
  const { expiresAt } = await insertCode(context, {
    ...{ ...secret, userId, keyId: key._id },
    permissions: [...caller.permissions],
  });
  return { code, userId, expiresAt: expiresAt.toISOString() };
}
