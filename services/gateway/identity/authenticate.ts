import { hash, type KeyObject } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import type { keysContract } from '@worktrack/contracts/keys/contract';
import type { Identity, Presented } from '@worktrack/contracts/keys/identity';
import {
  ACCESS_TOKEN_MARK,
  AUTHORIZATION_MARK,
  CODE_MARK,
  isWellFormedKey,
  KEY_MARK,
  type Mark,
  prefixOf,
  REFRESH_TOKEN_MARK,
  SESSION_MARK,
  TRUST_TOKEN_MARK,
} from '@worktrack/contracts/keys/key-format';
import type { Resource } from '@worktrack/contracts/keys/records';
import type { Log, ServiceClient } from '@worktrack/rpc/types';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { identityCache, type Known } from '@worktrack/runtime/redis/identity-cache';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { addressOf } from '../http/sender.ts';
import { UnknownKeys } from '../limits/unknown-keys.ts';
import { bearerToken } from './bearer.ts';
import { LastUse } from './last-use.ts';

/** How many keys a gateway remembers as over their rate. */
const MAX_OVER_RATE = 10_000;

/** What a request reveals about its sender. */
export type Sender = Pick<FastifyRequest, 'id' | 'ip' | 'socket'>;

export interface Authenticator {
  /**
   * @param authorizationHeader the value of `Authorization`, if there is one
   * @returns whom the key speaks for, and its rate including this request; `callerOf(identity, sessionProjectId)` makes the caller from it
   * @throws OperationError API_KEY_MISSING, API_KEY_INVALID, RATE_LIMITED for an address that has sent too many unknown ones, or, when
   *   neither the cache nor the keys service answers, UNAVAILABLE or DEADLINE_EXCEEDED
   */
  authenticate(authorizationHeader: string | undefined, sender: Sender): Promise<Known>;
  /**
   * The same for the access token of a connected app, which is good for one resource, and for nothing that takes keys.
   * @throws OperationError like `authenticate`
   */
  authenticateApp(authorizationHeader: string | undefined, resource: Resource, sender: Sender): Promise<Known>;
  /**
   * Whom the key, or the session, speaks for by now: for a request that was authenticated and takes long. Does not count in any rate.
   * @throws OperationError like `authenticate`
   */
  recognize(authorizationHeader: string | undefined, sender: Sender, sessionToken?: string): Promise<Identity>;
  /**
   * Whom a key, or a session, speaks for by now, and its rate including this request: for an upload ticket, which was granted in its name.
   * @throws OperationError API_KEY_INVALID if it is valid no longer, UNAVAILABLE or DEADLINE_EXCEEDED
   */
  authenticateGranted(prefix: string, sender: Sender): Promise<Known>;
  /**
   * The same for the token of a session of the console.
   * @throws OperationError like `authenticate`
   */
  authenticateSession(token: string, sender: Sender): Promise<Known>;
  /**
   * Asks the keys service to start a session with a code, limited like unknown keys, or with an API key that was authenticated.
   * @param token of the new session
   * @throws OperationError like `authenticate`, or CONFLICT if the user has too many sessions
   */
  openSession(
    token: string,
    by: SignInBy,
    sender: Sender & Pick<FastifyRequest, 'headers'>,
  ): Promise<{ readonly expiresAt: string }>;
  /** Reports the last uses gathered so far. Call it once no request is in progress, while the keys service can still be called. */
  stop(): Promise<void>;
}

/** Exactly one of the two. */
export interface SignInBy {
  readonly code: string | undefined;
  readonly apiKey: string | undefined;
}

export function createAuthenticator(needs: {
  readonly redis: Redis;
  readonly keys: ServiceClient<typeof keysContract>;
  readonly log: Log;
  readonly unknownKeysPerAddress: number;
  /** Keys the hashes under which addresses are counted. */
  readonly addressSecret: KeyObject;
}): Authenticator {
  const { redis, keys, log } = needs;
  const cache = identityCache(redis);
  const unknownKeys = new UnknownKeys({ ...needs, perAddress: needs.unknownKeysPerAddress });
  const lastUse = new LastUse(keys, log);
  /** Whatever is granted in the name of these is refused until their windows end, and costs no look-up. */
  const overRate = new LRUCache<string, Known>({ max: MAX_OVER_RATE });

  async function identify(value: string, mark: Mark, sender: Sender, counts = true): Promise<Known> {
    if (!isWellFormedKey(value, mark)) throw invalid(mark);
    // It goes no further than this: its digest identifies it, and cannot be reversed.
    const { prefix, digest } = presented(value);
    let isCounted = false;
    const verify = async () => {
      const { verified } = await keys.call('identity.verify', { prefix, digest }, { requestId: sender.id });
      return verified;
    };
    const found = await cache.lookUp(
      prefix,
      digest,
      () => (isCounted ? unknownKeys.givingBackIfKnown(sender, verify) : verify()),
      async () => {
        await unknownKeys.count(sender);
        isCounted = true;
      },
      counts,
    );
    if (!found) throw invalid(mark);
    if (counts) lastUse.note(found.identity);
    return found;
  }

  return {
    async authenticate(authorizationHeader, sender) {
      const value = bearerToken(authorizationHeader, 'key');
      const mark = markOf(value);
      if (mark === ACCESS_TOKEN_MARK) throw new OperationError('API_KEY_INVALID', `${NOT_HERE} Use an API key here.`);
      return identify(value, mark, sender);
    },
    async authenticateApp(authorizationHeader, resource, sender) {
      const value = bearerToken(authorizationHeader, 'app');
      if (markOf(value) !== ACCESS_TOKEN_MARK) {
        throw new OperationError(
          'API_KEY_INVALID',
          `API keys are for /mcp; /${resource} takes tokens of connected apps.`,
        );
      }
      const found = await identify(value, ACCESS_TOKEN_MARK, sender);
      if (found.identity.grant?.resource === resource) return found;
      throw new OperationError('API_KEY_INVALID', `${NOT_HERE} Connect the app at this address.`);
    },
    async authenticateGranted(prefix, sender) {
      const past = overRate.get(prefix);
      if (past?.rate) return { ...past, rate: { ...past.rate, resetMs: overRate.getRemainingTTL(prefix) } };
      const options = { requestId: sender.id };
      const { identity, rateLimit, countedAs } = await keys.call('identity.current', { prefix }, options);
      if (!identity) throw new OperationError('API_KEY_INVALID', TICKET_IS_OVER);
      const rate = rateLimit && (await cache.countFor(prefix, { rateLimit, countedAs }));
      const known = { identity, rate };
      if (rate && rate.count > rate.limit) overRate.set(prefix, known, { ttl: Math.max(1, rate.resetMs) });
      return known;
    },
    authenticateSession: (token, sender) => identify(token, SESSION_MARK, sender),
    async openSession(token, by, sender) {
      const requestId = sender.id;
      // One idempotency key for all repetitions of this call: a code used by the first is used for the second.
      const options = { requestId, idempotencyKey: uuidv7() };
      const open = (value: string) =>
        keys.call('sessions.open', { token: presented(token), by: presented(value), from: addressOf(sender) }, options);
      const { code, apiKey = '' } = by;
      if (code === undefined) return await open(apiKey);
      if (!isWellFormedKey(code, CODE_MARK)) throw invalid(CODE_MARK);
      await unknownKeys.count(sender);
      let refusal: unknown;
      const opened = await unknownKeys.givingBackIfKnown(sender, () =>
        open(code).catch((error) => {
          if (!(error instanceof OperationError) || error.code !== 'API_KEY_INVALID') throw error;
          refusal = error;
          return null;
        }),
      );
      if (!opened) throw refusal;
      return opened;
    },
    async recognize(authorizationHeader, sender, sessionToken) {
      const value = sessionToken ?? bearerToken(authorizationHeader, 'key');
      return (await identify(value, sessionToken === undefined ? markOf(value) : SESSION_MARK, sender, false)).identity;
    },
    stop: () => lastUse.stop(),
  };
}

/** The credentials in `Authorization` that are not API keys. */
const TOKEN_MARKS = [TRUST_TOKEN_MARK, ACCESS_TOKEN_MARK] as const;
const markOf = (value: string) => TOKEN_MARKS.find((mark) => value.startsWith(mark)) ?? KEY_MARK;

const NOT_HERE = 'The access token of a connected app is good for the address that it was given for, and nothing else.';

export const TICKET_IS_OVER = 'The API key that asked for this upload ticket is no longer valid.';

/** In the form the keys service gets. */
export function presented(value: string): Presented {
  return { prefix: prefixOf(value), digest: hash('sha256', value) };
}

/** One answer for unknown, malformed, revoked and expired: it reveals nothing to somebody guessing. */
function invalid(mark: Mark): OperationError {
  return new OperationError('API_KEY_INVALID', WHAT_TO_DO[mark]);
}

const WHAT_TO_DO: Readonly<Record<Mark, string>> = {
  // Also for values that are no keys, such as the public key of a source, a JWT, or the name of a variable that nothing has filled in.
  [KEY_MARK]: `The API key is unknown, malformed, revoked or expired. It begins with ${KEY_MARK}: check that it was copied in full, or create a new one.`,
  [SESSION_MARK]: 'You are signed out: the session has ended. Sign in again at /console/.',
  [TRUST_TOKEN_MARK]: 'The token is unknown, malformed or over. Exchange another JWT for a new one: POST /oauth/token.',
  [ACCESS_TOKEN_MARK]:
    'The access token is unknown, malformed, over, or of an app that was disconnected. Refresh it, or connect the app again.',
  [AUTHORIZATION_MARK]: 'An authorization code is exchanged for tokens at the token endpoint.',
  [REFRESH_TOKEN_MARK]: 'A refresh token is exchanged for tokens at the token endpoint.',
  [CODE_MARK]:
    "The link's code is malformed. Check that the link was copied in full, or create another one: `worktrack login-link`.",
};
