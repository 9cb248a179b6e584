import type { Caller } from '@worktrack/contracts/caller';
import type { RoleLimit } from '@worktrack/contracts/keys/records';
import { lowest, roleLimitOf } from '../users/role-limit.ts';
import { identityNow } from './identity-now.ts';

/** Of what the caller makes, which acts as this user. What somebody makes for themselves has the limit of what they make it with. */
export async function roleLimitOfMade(
  { caller }: { readonly caller: Caller },
  userId: string,
): Promise<RoleLimit | undefined> {
  const now = await identityNow(caller);
  // Whoever has lost all rights meanwhile is refused when the turn is taken.
  const own = now ? now.roleLimit : 'member';
  return userId === caller.userId ? own : lowest(own, roleLimitOf(caller.permissions));
}
