import type { revokeKey as operation } from '@worktrack/contracts/keys/keys';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { takeAccessTurn } from '../access-turn.ts';
import { requireAllHeldOf, requireProjectsOf } from '../users/all-held-of.ts';
import { keyOfCaller } from './key-of-caller.ts';
import { keyById, markRevoked } from './keys.repository.ts';

/** Stores the revocation. Its other half, evicting the key from the gateways' cache, follows once this is committed. */
export const revokeKey: WriteAlone<typeof operation> = async ({ id }, context) => {
  const isOwn = (await keyOfCaller(context))?._id === id;
  // To a limited caller there is no other key.
  const key = context.caller.projects && !isOwn ? undefined : await keyById(context, id);
  if (!key) {
    throw context.fail('NOT_FOUND', `There is no API key ${id} in your organization. GET /api/api-keys lists them.`);
  }
  // Whoever holds a key may end it; a session may hold less than the key that it belongs to.
  if (context.caller.keyId !== id) {
    await requireAllHeldOf(context, key);
    await requireProjectsOf(context, key, 'revoke');
  }
  // The first revocation counts: a repeated one changes nothing.
  if (key.revokedAt) return { id, revokedAt: key.revokedAt.toISOString() };
  await takeAccessTurn(context);
  const revokedAt = await markRevoked(context, key);
  return { id, revokedAt: revokedAt.toISOString() };
};
