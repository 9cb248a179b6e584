import type { Caller } from '@worktrack/contracts/caller';
import type { Identity } from '@worktrack/contracts/keys/identity';
import { prefixOfSession } from '../sessions/sessions.repository.ts';
import { prefixOfToken } from '../tokens/tokens.repository.ts';
import { prefixOfKey } from './keys.repository.ts';
import { identitiesOf } from './verify.ts';

/**
 * Whom a caller speaks for now, bypassing the cache. It covers keys, sessions and tokens of rules of trust; connected apps have no tool that changes access.
 * @returns nothing if it is over
 */
export async function identityNow(caller: Caller): Promise<Identity | null | undefined> {
  const { keyId: id } = caller;
  const found = await Promise.all([
    prefixOfKey({ caller }, id),
    prefixOfSession({ caller }, id),
    prefixOfToken({ caller }, id),
  ]);
  const [now] = await identitiesOf(found.flat());
  return now?.identity;
}
