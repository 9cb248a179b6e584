import type { Caller } from '@worktrack/contracts/caller';
import type { Fail } from '@worktrack/contracts/errors';
import type { Identity } from '@worktrack/contracts/keys/identity';
import { holdsAll, LOST_RIGHTS } from '@worktrack/contracts/rights';
import { identityNow } from './identity-now.ts';

/**
 * What the gateway let in may have lost its rights since: its key was revoked, its user demoted or limited.
 * @returns whom it speaks for now
 * @throws PERMISSION_DENIED if the caller holds less than the call was let in with
 */
export async function requireStillHeld({
  caller,
  fail,
}: {
  readonly caller: Caller;
  readonly fail: Fail<'PERMISSION_DENIED'>;
}): Promise<Identity> {
  const now = await identityNow(caller);
  if (!now || !holdsAll(now, caller)) throw fail('PERMISSION_DENIED', LOST_RIGHTS);
  return now;
}
