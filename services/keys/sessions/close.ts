import type { closeSession as operation } from '@worktrack/contracts/keys/sessions';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { WriteContext } from '@worktrack/runtime/database/contexts';
import { markEnded, sessionById } from './sessions.repository.ts';

/** A sign-out: of the session itself, so it needs no permission. */
export async function closeSession(
  { organizationId, id }: Input<typeof operation>,
  { tx }: WriteContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  const scope = { caller: { organizationId }, tx };
  const session = await sessionById(scope, id);
  if (session && !session.revokedAt) await markEnded(scope, id, new Date());
  return {};
}
