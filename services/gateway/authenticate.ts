import { hash } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import type { keysContract } from '@worktrack/contracts/keys/contract';
import type { Identity } from '@worktrack/contracts/keys/identity';
import { isWellFormedKey, prefixOf } from '@worktrack/contracts/keys/key-format';
import type { Log, ServiceClient } from '@worktrack/rpc/types';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { identityCache } from '@worktrack/runtime/redis/identity-cache';
import { bearerToken } from './bearer.ts';
import { LastUse } from './last-use.ts';

export interface Authenticator {
  /**
   * @param authorizationHeader the value of `Authorization`, if there is one
   * @returns whom the key speaks for; `callerOf(identity, sessionProjectId)` makes the caller of it
   * @throws OperationError API_KEY_MISSING, API_KEY_INVALID, or, when neither the cache nor the keys service answers, UNAVAILABLE or DEADLINE_EXCEEDED
   */
  authenticate(authorizationHeader: string | undefined, requestId: string): Promise<Identity>;
  /** Reports the last uses that are gathered. To be called once no request is under way, while the keys service can still be called. */
  stop(): Promise<void>;
}

export function createAuthenticator(needs: {
  readonly redis: Redis;
  readonly keys: ServiceClient<typeof keysContract>;
  readonly log: Log;
}): Authenticator {
  const { redis, keys, log } = needs;
  const cache = identityCache(redis);
  const lastUse = new LastUse(keys, log);
  return {
    async authenticate(authorizationHeader, requestId) {
      const key = bearerToken(authorizationHeader);
      if (!isWellFormedKey(key)) throw invalid();
      // The key goes no further than this: its digest finds it, and cannot be turned back into it.
      const prefix = prefixOf(key);
      const digest = hash('sha256', key);
      const identity = await cache.lookUp(prefix, digest, async () => {
        const { verified } = await keys.call('identity.verify', { prefix, digest }, { requestId });
        return verified;
      });
      if (!identity) throw invalid();
      lastUse.note(identity);
      return identity;
    },
    stop: () => lastUse.stop(),
  };
}

/** One answer for unknown, malformed, revoked and expired: it tells nothing to who guesses. */
function invalid(): OperationError {
  return new OperationError(
    'API_KEY_INVALID',
    'The API key is unknown, malformed, revoked or expired. Check that it was copied whole, or make a new one.',
  );
}
