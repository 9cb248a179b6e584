import type { Caller } from '@worktrack/contracts/caller';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { RoleLimit } from '@worktrack/contracts/keys/records';
import { lowest, roleLimitOf } from '../users/role-limit.ts';

/**
 * Of what the caller makes, which acts as this user. What somebody makes for themselves has the limit of what they make it with.
 * @param now whom the caller speaks for; nothing if that is over
 */
export function roleLimitOfMade(
  now: Identity | null | undefined,
  caller: Caller,
  userId: string,
): RoleLimit | undefined {
  // Whoever has lost all rights meanwhile is refused when the turn is taken.
  const own = now ? now.roleLimit : 'member';
  return userId === caller.userId ? own : lowest(own, roleLimitOf(caller.permissions));
}
