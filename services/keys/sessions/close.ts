import type { closeSession as operation } from '@worktrack/contracts/keys/sessions';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { enterOf } from '@worktrack/runtime/database/outbox/audited';
import { takeTurnUnchecked } from '../access-turn.ts';
import { markEnded, sessionById } from './sessions.repository.ts';

/** A sign-out: of the session itself, so it needs no permission. */
export const closeSession: WriteAlone<typeof operation> = async (
  { organizationId, id, from },
  { tx, writes, requestId },
) => {
  const scope = { caller: { organizationId }, tx, writes };
  const session = await sessionById(scope, id);
  if (!session || session.revokedAt) return {};
  await takeTurnUnchecked(scope);
  await markEnded(scope, id, new Date());
  enterOf(writes, organizationId, {
    action: 'sessions.close',
    actor: { type: 'session', id, name: null, userId: session.userId },
    targets: [{ type: 'session', id, name: null }],
    context: { address: null, userAgent: null, ...from, requestId },
  });
  return {};
};
