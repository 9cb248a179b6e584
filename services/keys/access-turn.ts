import type { Caller } from '@worktrack/contracts/caller';
import type { Fail } from '@worktrack/contracts/errors';
import type { Identity } from '@worktrack/contracts/keys/identity';
import { oneAtATime } from '@worktrack/runtime/database/one-at-a-time';
import type { Scope } from '@worktrack/runtime/database/scope';
import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import { requireStillHeld } from './keys/still-held.ts';

/**
 * For a rule that gives access, takes it away, or counts it, before the rule stores anything. Of two such calls at once in an organization, one runs again on
 * the other's result. The maker of the call must also still hold the access that it was let in with. Otherwise a key could leave another one behind, stored
 * after its own revocation was answered.
 * @returns whom the caller speaks for now
 * @throws PERMISSION_DENIED if the caller holds less by now
 */
export async function takeAccessTurn(
  scope: TransactionScope & { readonly caller: Caller; readonly fail: Fail<'PERMISSION_DENIED'> },
): Promise<Identity> {
  await takeTurnUnchecked(scope);
  // Read once the transaction has begun: what others took away before that is seen here, and what they take away later conflicts over the turn.
  return await requireStillHeld(scope);
}

/** For what only concerns the caller's own key or session: its replacement, or its end. */
export const takeTurnUnchecked = (scope: TransactionScope & Pick<Scope, 'caller'>) => oneAtATime(scope, 'access');
