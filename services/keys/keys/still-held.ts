import type { Caller } from '@worktrack/contracts/caller';
import type { Fail } from '@worktrack/contracts/errors';
import { prefixOfSession } from '../sessions/sessions.repository.ts';
import { prefixOfToken } from '../tokens/tokens.repository.ts';
import { prefixOfKey } from './keys.repository.ts';
import { identityOfPrefix } from './verify.ts';

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
  const { permissions, projects } = caller;
  const now = await identityNow(caller);
  if (
    now &&
    permissions.every((each) => now.permissions.includes(each)) &&
    (!now.projects || projects?.every((each) => now.projects?.includes(each)))
  )
    return;
  throw fail('PERMISSION_DENIED', 'While this call was made, your key or its user lost rights. Repeat it.');
}

/** By a key, a session or a token of a rule of trust: connected apps have no tool that changes access. */
async function identityNow(caller: Caller) {
  const { keyId: id } = caller;
  const found = await Promise.all([
    prefixOfKey({ caller }, id),
    prefixOfSession({ caller }, id),
    prefixOfToken({ caller }, id),
  ]);
  const [prefix] = found.flat();
  return prefix === undefined ? null : (await identityOfPrefix({ prefix })).identity;
}
