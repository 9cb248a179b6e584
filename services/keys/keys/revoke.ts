import type { revokeKey as operation } from '@worktrack/contracts/keys/keys';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/contexts';
import { markRevoked } from './keys.repository.ts';

/** Stores the revocation. Its other half, evicting the key from the gateways' cache, follows once this is committed. */
export async function revokeKey(
  { id }: Input<typeof operation>,
  context: WriteContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const revoked = await markRevoked(context, id);
  if (!revoked)
    throw context.fail('NOT_FOUND', `There is no API key ${id} in your organization. GET /api/api-keys lists them.`);
  return { id, revokedAt: revoked.revokedAt.toISOString() };
}
