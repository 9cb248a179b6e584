import { timingSafeEqual } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { Redis } from 'ioredis';
import { Counter } from 'prom-client';
import { registry } from '../process/metrics.ts';
import { uuidv7 } from '../process/uuid.ts';
import { trackIncarnation } from './incarnation.ts';

/**
 * The cache of verified API keys, shared by all replicas of the gateway, with revocation that leaves no window.
 *
 * One Redis string per key, named by the key's prefix (unique, and all that the keys service knows of a key it revokes):
 *
 *   (nothing) ──a miss: SET NX──► claim ──the look-up's answer: compare and set──► entry ──ENTRY_TTL_MS──► (nothing)
 *                                   └────────────────── invalidate: DEL ───────────┘
 *
 * A claim is a random token that is written once. Whoever misses writes one, or takes the one that it finds, BEFORE it asks the
 * keys service, and may fill the cache only by exchanging that very token for the entry. These are the leases of Nishtala et al.,
 * "Scaling Memcache at Facebook" (NSDI 2013, 3.2.1), but shared: one token serves all look-ups that are under way.
 *
 * Why no key is accepted from here once its revocation was answered. The keys service commits (C), then invalidates (I), then answers.
 * A fill (F) with a token that was placed at P belongs to a read of the store (R) with P < R < F, and at F the token was still there.
 *   I < P:      C < I < P < R, so the read saw the revocation, and there is nothing to fill.
 *   P < I < F:  the token is gone at F, for DEL took it and a token is never written twice; the fill is refused.
 *   F < I:      DEL takes the entry.
 * So behind I there is no entry that is older than C, whatever is slow, and for how long: nothing here relies on a time-out
 * (a tombstone would have to outlive a gateway that was frozen between its answer and its fill). The same holds for a change of a user.
 *
 * When Redis fails:
 * - It loses everything, or evicts: tokens are lost with it, so a look-up that is under way can no longer fill.
 * - It restarts from a snapshot, or a replica takes over, and a DEL is undone: every name holds the server's run id, so what an earlier
 *   run has stored is never read again; both ends take the id from the connection that they use.
 * - It is away: authentication asks the keys service, and `invalidate` fails, so that a revocation is not answered before it holds.
 * - Two servers are believed to be the primary, with gateways on either side (a split brain, or one that was demoted and kept its connections):
 *   the old one serves its entries until they end, ENTRY_TTL_MS at most. Only here the bound is a time.
 */
export interface IdentityCache {
  /**
   * The identity behind a presented key: one GET when it is cached, else `verify` (also while Redis is away).
   * @param digest SHA-256 of the whole key, in hexadecimal
   * @param verify reads the keys service's store, after it was called and not before; null means that the key is not valid
   * @returns null when the key is not valid, or is no longer
   */
  lookUp(prefix: string, digest: string, verify: () => Promise<Verified | null>): Promise<Identity | null>;
}

export interface Verified {
  readonly identity: Identity;
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null;
}

/** How long an entry is used before the keys service is asked again. Not what makes a revocation hold; see above. */
export const ENTRY_TTL_MS = 60_000;
/** How long a claim waits for its fill: above any usual look-up. A later answer is used, but not kept. */
const CLAIM_TTL_MS = 5_000;
/** Counts up when the shape of an entry changes; entries of another version are misses. */
const ENTRY_VERSION = 1;
const RETRY_AFTER_SECONDS = 1;

const FILL = `
if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end`;

const CLAIM = 'claim:';

interface Entry extends Verified {
  readonly version: number;
  readonly digest: string;
}

const lookUps = new Counter({
  name: 'worktrack_identity_cache_total',
  help: 'Look-ups of API keys: hit, miss (asked the keys service), bypass (asked it because Redis was away).',
  labelNames: ['outcome'],
  registers: [registry],
});

const nameOf = (runId: string, prefix: string) => `wt:identity:${runId}:${prefix}`;

export function identityCache(redis: Redis): IdentityCache {
  const incarnation = trackIncarnation(redis);

  /** @returns undefined when another look-up was quicker; this one's answer is then not kept */
  async function place(name: string): Promise<string | undefined> {
    const token = CLAIM + uuidv7();
    const placed = await redis.set(name, token, 'PX', CLAIM_TTL_MS, 'NX');
    return placed === 'OK' ? token : undefined;
  }

  async function fill(name: string, token: string, digest: string, verified: Verified): Promise<void> {
    const leftMs = verified.expiresAt === null ? ENTRY_TTL_MS : Date.parse(verified.expiresAt) - Date.now();
    if (leftMs <= 0) return;
    const entry: Entry = { version: ENTRY_VERSION, digest, ...verified };
    await redis.eval(FILL, 1, name, token, JSON.stringify(entry), Math.min(leftMs, ENTRY_TTL_MS));
  }

  return {
    async lookUp(prefix, digest, verify) {
      const runId = incarnation.now();
      let outcome: 'miss' | 'bypass' = 'bypass';
      let claimed: { readonly name: string; readonly token: string } | undefined;
      if (runId !== undefined) {
        const name = nameOf(runId, prefix);
        try {
          const stored = await redis.get(name);
          const entry = entryIn(stored);
          if (entry) {
            lookUps.inc({ outcome: 'hit' });
            return matches(entry.digest, digest) ? unexpired(entry) : null;
          }
          outcome = 'miss';
          const token = tokenIn(stored) ?? (await place(name));
          if (token) claimed = { name, token };
        } catch {
          // Redis went away, which connectRedis logs: the keys service is asked, and its answer is not kept.
        }
      }
      lookUps.inc({ outcome });
      const verified = await verify();
      // Nobody waits for the fill. When it fails, the next look-up asks again.
      if (verified && claimed) void fill(claimed.name, claimed.token, digest, verified).catch(() => undefined);
      return verified && unexpired(verified);
    },
  };
}

/** @returns a function that makes sure that no gateway finds these keys in the cache as they were before */
export function identityInvalidation(redis: Redis): (prefixes: readonly string[]) => Promise<void> {
  const incarnation = trackIncarnation(redis);
  return async (prefixes) => {
    if (prefixes.length === 0) return;
    try {
      const runId = await incarnation.known();
      if (runId === undefined) throw new Error('The run id of the Redis server is not known.');
      await redis.del(prefixes.map((prefix) => nameOf(runId, prefix)));
    } catch (cause) {
      const error = new OperationError(
        'UNAVAILABLE',
        'The change is stored, but the cache of verified keys is away, so it may not hold everywhere yet. Repeat the request until it succeeds.',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
      error.cause = cause;
      throw error;
    }
  };
}

function entryIn(stored: string | null): Entry | undefined {
  if (stored === null || stored.startsWith(CLAIM)) return undefined;
  const entry = JSON.parse(stored) as Entry;
  return entry.version === ENTRY_VERSION ? entry : undefined;
}

const tokenIn = (stored: string | null) => (stored?.startsWith(CLAIM) ? stored : undefined);

function unexpired(verified: Verified): Identity | null {
  const over = verified.expiresAt !== null && Date.parse(verified.expiresAt) <= Date.now();
  return over ? null : verified.identity;
}

function matches(digest: string, presented: string): boolean {
  return timingSafeEqual(Buffer.from(digest), Buffer.from(presented));
}
