import { hash, type KeyObject } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import type { keysContract } from '@worktrack/contracts/keys/contract';
import { isWellFormedKey, prefixOf } from '@worktrack/contracts/keys/key-format';
import type { Log, ServiceClient } from '@worktrack/rpc/types';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { identityCache, type Known } from '@worktrack/runtime/redis/identity-cache';
import type { FastifyRequest } from 'fastify';
import { bearerToken } from './bearer.ts';
import { LastUse } from './last-use.ts';
import { UnknownKeys } from './limits/unknown-keys.ts';

/** What a request shows of who sends it. */
export type Sender = Pick<FastifyRequest, 'id' | 'ip' | 'socket'>;

export interface Authenticator {
  /**
   * @param authorizationHeader the value of `Authorization`, if there is one
   * @returns whom the key speaks for, and its rate with this request; `callerOf(identity, sessionProjectId)` makes the caller of it
   * @throws OperationError API_KEY_MISSING, API_KEY_INVALID, RATE_LIMITED for an address from which too many came that are not known, or, when
   *   neither the cache nor the keys service answers, UNAVAILABLE or DEADLINE_EXCEEDED
   */
  authenticate(authorizationHeader: string | undefined, sender: Sender): Promise<Known>;
  /** Reports the last uses that are gathered. To be called once no request is under way, while the keys service can still be called. */
  stop(): Promise<void>;
}

export function createAuthenticator(needs: {
  readonly redis: Redis;
  readonly keys: ServiceClient<typeof keysContract>;
  readonly log: Log;
  readonly unknownKeysPerAddress: number;
  /** Keys the hashes by which addresses are counted. */
  readonly addressSecret: KeyObject;
}): Authenticator {
  const { redis, keys, log } = needs;
  const cache = identityCache(redis);
  const unknownKeys = new UnknownKeys({ ...needs, perAddress: needs.unknownKeysPerAddress });
  const lastUse = new LastUse(keys, log);
  return {
    async authenticate(authorizationHeader, sender) {
      const key = bearerToken(authorizationHeader);
      if (!isWellFormedKey(key)) throw invalid();
      // The key goes no further than this: its digest finds it, and cannot be turned back into it.
      const prefix = prefixOf(key);
      const digest = hash('sha256', key);
      const known = await cache.lookUp(
        prefix,
        digest,
        () =>
          unknownKeys.givingBackIfKnown(sender, async () => {
            const { verified } = await keys.call('identity.verify', { prefix, digest }, { requestId: sender.id });
            return verified;
          }),
        () => unknownKeys.count(sender),
      );
      if (!known) throw invalid();
      lastUse.note(known.identity);
      return known;
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
