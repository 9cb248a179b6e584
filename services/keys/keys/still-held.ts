import type { Caller } from '@worktrack/contracts/caller';
import type { Fail } from '@worktrack/contracts/errors';
import { holdsAll, LOST_RIGHTS } from '@worktrack/contracts/rights';
import { prefixOfSession } from '../sessions/sessions.repository.ts';
import { prefixOfToken } from '../tokens/tokens.repository.ts';
import { prefixOfKey } from './keys.repository.ts';
import { identitiesOf } from './verify.ts';

/**
 * What the gateway let in may have lost its rights since: its key was revoked, its user demoted or limited.
 * @throws PERMISSION_DENIED if the caller holds less than the call was let in with
 */
export async function requireStillHeld({
  caller,
  fail,
}: {
  readonly caller: Caller;
  readonly fail: Fail<'PERMISSION_DENIED'>;
}): Promise<void> {
  const now = await identityNow(caller);
  if (!now || !holdsAll(now, caller)) throw fail('PERMISSION_DENIED', LOST_RIGHTS);
}

/** By a key, a session or a token of a rule of trust: connected apps have no tool that changes access. */
async function identityNow(caller: Caller) {
  const { keyId: id } = caller;
  const found = await Promise.all([
    prefixOfKey({ caller }, id),
    prefixOfSession({ caller }, id),
    prefixOfToken({ caller }, id),
  ]);
  const [now] = await identitiesOf(found.flat());
  return now?.identity;
}
