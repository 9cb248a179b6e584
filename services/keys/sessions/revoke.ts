import type { revokeSession as operation } from '@worktrack/contracts/keys/sessions';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { takeAccessTurn } from '../access-turn.ts';
import { requireAllHeldOf } from '../users/all-held-of.ts';
import { markEnded, sessionById } from './sessions.repository.ts';

/** Like the revocation of a key: what is stored here is announced to the gateways' cache once it is committed. */
export const revokeSession: WriteAlone<typeof operation> = async ({ id }, context) => {
  const session = await sessionById(context, id);
  if (!session) {
    throw context.fail('NOT_FOUND', `There is no session ${id} in your organization. GET /api/sessions lists them.`);
  }
  const isOwn = id === context.caller.keyId || session.keyId === context.caller.keyId;
  if (!isOwn) await requireAllHeldOf(context, session);
  // The first revocation counts: a repeated one changes nothing.
  if (session.revokedAt) return { id, revokedAt: session.revokedAt.toISOString() };
  await takeAccessTurn(context);
  const revokedAt = new Date();
  await markEnded(context, id, revokedAt);
  return { id, revokedAt: revokedAt.toISOString() };
};
