import { timingSafeEqual } from 'node:crypto';
import { OperationError } from '@worktrack/contracts/errors';
import type { Identity } from '@worktrack/contracts/keys/identity';
import type { KeyRate } from '@worktrack/contracts/keys/records';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';
import { registry } from '../process/metrics.ts';
import { uuidv7 } from '../process/uuid.ts';
import { COUNT, COUNT_IN_WINDOW, type Counted, MemoryWindows } from './counted-windows.ts';
import { noteFallback } from './fallback.ts';
import { trackIncarnation } from './incarnation.ts';

/**
 * The cache of verified API keys, and of sessions of the console, shared by all replicas of the gateway, with revocation that leaves no window.
 *
 * One Redis string per key, named by the key's prefix (unique, and all that the keys service knows of a key it revokes):
 *
 *   (nothing) ──a miss: SET NX──► claim ──the lookup's answer: compare and set──► entry ──ENTRY_TTL_MS──► (nothing)
 *                                   └────────────────── invalidate: DEL ───────────┘
 *
 * A claim is a random token that is written once. A lookup that misses writes one, or takes the one it finds, BEFORE it asks the
 * keys service. It may fill the cache only by exchanging that very token for the entry. These are the leases of Nishtala et al.,
 * "Scaling Memcache at Facebook" (NSDI 2013, 3.2.1), but shared: one token serves all lookups in progress.
 *
 * Why no key is accepted from here once its revocation was answered. The keys service commits (C), then invalidates (I), then answers.
 * A fill (F) with a token placed at P belongs to a read of the store (R) with P < R < F, and at F the token was still there.
 *   I < P:      C < I < P < R, so the read saw the revocation, and there is nothing to fill.
 *   P < I < F:  the token is gone at F, since DEL removed it and a token is never written twice; the fill is refused.
 *   F < I:      DEL removes the entry.
 * So after I there is no entry older than C, whatever is slow, and for however long. Nothing here relies on a timeout: a
 * tombstone would have to outlive a gateway that was frozen between its answer and its fill. The same holds for a change to a user.
 *
 * When Redis fails:
 * - It loses everything, or evicts: tokens are lost with it, so a lookup in progress can no longer fill.
 * - It restarts from a snapshot, or a replica takes over, and a DEL is undone. Every name holds the server's run id, so nothing that an
 *   earlier run stored is ever read again. Both ends take the id from the connection that they use.
 * - A replica takes over, and soon the first server again without a restart. Entries from before are named by its run id, and were replicated
 *   to and fro. So an invalidation deletes those of all runs that the keys service was connected to lately. If the second failover undoes
 *   that, too, the bound is ENTRY_TTL_MS.
 * - It is unavailable: authentication asks the keys service, and `invalidate` fails, so that a revocation is not answered before it holds.
 * - Two servers are believed to be the primary, with gateways on either side (a split brain, or a demoted one that kept its connections).
 *   The old one serves its entries until they end, ENTRY_TTL_MS at most. After these two alone the bound is a time.
 *
 * The rate of a key is counted in the same script call that finds its entry: next to the entry there is a window (counted-windows.ts), which all
 * gateways count in. Only the right key counts, by its digest: knowing a prefix, which lists show, is not enough to use up somebody else's rate. While
 * Redis is unavailable each gateway counts in its own memory, so that a key may then be used at its rate at each of them.
 * A session counts in the window of the key it was created with, by a second command: otherwise a key would get its full rate again with each session.
 *
 * A refused key is remembered too, in a set of digests for its prefix, so that a program that goes on with a revoked key costs
 * nobody anything. The set is filled in exchange for the same token, and an invalidation deletes it: a key whose user is enabled again is accepted at
 * once. It is not the entry itself, since anybody who knows a prefix could then keep the key that belongs to it out of the cache. Next to the entry, the
 * digest of a key that was valid stays for a day. It says nothing about the key now, but a key with such a digest is looked up, however
 * many made-up ones come from its address.
 */
export interface IdentityCache {
  /**
   * The identity behind a presented key, and its rate including this request: one script call when cached, otherwise `verify` (also while Redis is unavailable).
   * @param digest SHA-256 of the whole key, in hexadecimal
   * @param verify reads the keys service's store after being called, not before; null means that the key is not valid
   * @param admit called first if the key is not cached and has not been valid within the last day; what it throws ends the lookup
   * @param counts whether the request counts in the rate of its key
   * @returns null when the key is not valid, or no longer
   */
  lookUp(
    prefix: string,
    digest: string,
    verify: () => Promise<Verified | null>,
    admit?: () => Promise<void>,
    counts?: boolean,
  ): Promise<Known | null>;
  /**
   * Counts a request made with access that a key has granted, in the window of that key. The key is not presented and may not be cached.
   * @returns undefined: it has no rate
   */
  countFor(prefix: string, counted: Rated): Promise<KeyRateState | undefined>;
}

export interface Known {
  readonly identity: Identity;
  /** The state of its window including this request; undefined: the key has no rate. */
  readonly rate: KeyRateState | undefined;
}

export interface KeyRateState extends Counted {
  readonly limit: number;
  readonly windowMs: number;
}

export interface Verified extends Rated {
  readonly identity: Identity;
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null;
}

interface Rated {
  readonly rateLimit: KeyRate;
  /** For a session: the prefix of the key in whose window it is counted. */
  readonly countedAs?: string | undefined;
}

/** How long an entry is used before the keys service is asked again. Not what makes a revocation hold; see above. */
export const ENTRY_TTL_MS = 60_000;
/** How long a claim waits for its fill: above any usual lookup. A later answer is used, but not kept. */
const CLAIM_TTL_MS = 5_000;
/** Incremented when the shape of an entry changes; entries of other versions are misses. */
const ENTRY_VERSION = 3;
const RETRY_AFTER_SECONDS = 1;

/** How long a refused key is refused without asking the keys service. */
const REFUSED_TTL_MS = 60_000;
/** Refused keys of one prefix; beyond it, others are forgotten. There is rarely more than one. */
const MAX_REFUSED = 16;
const VALID_TTL_MS = 24 * 60 * 60 * 1_000;

/**
 * An entry begins with the digest and the rate, for the script: `<digest>|<requests>:<windowMs>|<JSON>`. ARGV: digest, and whether the request counts.
 * Without an entry it returns what else is known of the digest.
 */
const LOOK_UP = `${COUNT_IN_WINDOW}
local stored = redis.call('GET', KEYS[1])
local digest, requests, windowMs = string.match(stored or '', '^(%x+)|(%d+):(%d+)|')
if not digest then
  if redis.call('SISMEMBER', KEYS[3], ARGV[1]) == 1 then return {stored, 'refused'} end
  if redis.call('GET', KEYS[4]) == ARGV[1] then return {stored, 'valid'} end
  return {stored}
end
if digest ~= ARGV[1] or requests == '0' or ARGV[2] == '0' then return {stored} end
return {stored, countIn(KEYS[2], windowMs)}
`;

/** ARGV: token, digest. */
const REFUSE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return end
if redis.call('SCARD', KEYS[3]) >= ${MAX_REFUSED} then redis.call('SPOP', KEYS[3]) end
redis.call('SADD', KEYS[3], ARGV[2])
redis.call('PEXPIRE', KEYS[3], ${REFUSED_TTL_MS})
`;

/** ARGV: token, entry, its time to live, the window in which the request is counted, or 0, and the digest. */
const FILL = `${COUNT_IN_WINDOW}
redis.call('SET', KEYS[4], ARGV[5], 'PX', ${VALID_TTL_MS})
if ARGV[1] ~= '' and redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
if ARGV[4] == '0' then return {} end
return {countIn(KEYS[2], ARGV[4])}
`;

const CLAIM = 'claim:';

interface Entry extends Verified {
  readonly version: number;
}

const lookUps = new Counter({
  name: 'worktrack_identity_cache_total',
  help: 'Look-ups of API keys: hit, miss (asked the keys service), bypass (asked it because Redis was unavailable).',
  labelNames: ['outcome'],
  registers: [registry],
});

const nameOf = (runId: string, prefix: string) => `wt:identity:${runId}:${prefix}`;
/** The braces keep it in the same slot as the entry in a cluster. */
const windowOf = (name: string) => `wt:rate:{${name}}`;
const refusedOf = (name: string) => `wt:refused:{${name}}`;
const validOf = (name: string) => `wt:valid:{${name}}`;
/** KEYS of the scripts. */
const keysOf = (name: string) => [name, windowOf(name), refusedOf(name), validOf(name)];
const KEYS = 4;

type CountedPair = [count: number, resetMs: number];
type Found = [stored: string | null, ...(Partial<CountedPair> | ['refused' | 'valid'])];

export function identityCache(redis: Redis): IdentityCache {
  const incarnation = trackIncarnation(redis);
  const memory = new MemoryWindows();
  const read = entryReader();

  /** By EVAL: EVALSHA would be repeated with the script if the server has forgotten it, perhaps on a connection to another run. */
  async function find(name: string, digest: string, counts: boolean): Promise<Found> {
    return (await redis.eval(LOOK_UP, KEYS, ...keysOf(name), digest, counts ? 1 : 0)) as Found;
  }

  /** @returns undefined when another lookup was quicker; this one's answer is then not kept */
  async function place(name: string): Promise<string | undefined> {
    const token = CLAIM + uuidv7();
    const placed = await redis.set(name, token, 'PX', CLAIM_TTL_MS, 'NX');
    return placed === 'OK' ? token : undefined;
  }

  /** Keeps what was verified, if the token is still there, and counts the request. */
  async function fill(
    name: string,
    token: string,
    digest: string,
    verified: Verified,
    counts: boolean,
  ): Promise<Partial<CountedPair>> {
    const leftMs = verified.expiresAt === null ? ENTRY_TTL_MS : Date.parse(verified.expiresAt) - Date.now();
    const entry: Entry = { version: ENTRY_VERSION, ...verified };
    const { windowMs } = limitOf(verified);
    // What counts in another key's window has none of its own.
    const requests = verified.countedAs === undefined ? limitOf(verified).requests : 0;
    return (await redis.eval(
      FILL,
      KEYS,
      ...keysOf(name),
      leftMs > 0 ? token : '',
      `${digest}|${requests}:${windowMs}|${JSON.stringify(entry)}`,
      Math.max(1, Math.min(leftMs, ENTRY_TTL_MS)),
      requests === 0 || !counts ? 0 : windowMs,
      digest,
    )) as Partial<CountedPair>;
  }

  /** A session's request, in its key's window. */
  async function countAs(
    runId: string | undefined,
    countedAs: string,
    verified: Rated,
  ): Promise<KeyRateState | undefined> {
    const { requests, windowMs } = limitOf(verified);
    if (requests === 0) return undefined;
    const counted =
      runId === undefined
        ? undefined
        : await orUndefined(redis.eval(COUNT, 1, windowOf(nameOf(runId, countedAs)), windowMs));
    return counted ? rateOf(verified, ...(counted as CountedPair)) : countInMemory(countedAs, verified);
  }

  /** The request in this process's own window, when Redis cannot count it. */
  function countInMemory(prefix: string, verified: Rated): KeyRateState {
    noteFallback('key rates');
    const { requests: limit, windowMs } = limitOf(verified);
    return { limit, windowMs, ...memory.count(prefix, windowMs, performance.now()) };
  }

  async function runIdNow(): Promise<string | undefined> {
    const runId = incarnation.now();
    if (runId !== undefined || redis.status !== 'ready') return runId;
    // The first requests of a gateway wait for this, otherwise they would be counted in memory.
    await incarnation.runId();
    return incarnation.now();
  }

  return {
    async countFor(prefix, counted) {
      return countAs(await runIdNow(), counted.countedAs ?? prefix, counted);
    },
    async lookUp(prefix, digest, verify, admit, counts = true) {
      const runId = await runIdNow();
      const name = runId === undefined ? undefined : nameOf(runId, prefix);
      const found = name === undefined ? undefined : await orUndefined(find(name, digest, counts));
      const stored = found?.[0];
      const entry = read.entryIn(prefix, stored);
      if (entry) {
        lookUps.inc({ outcome: 'hit' });
        const { verified } = entry;
        if (!matches(entry.digest, digest) || isOver(verified)) return null;
        const rate =
          verified.countedAs === undefined || !counts
            ? rateOf(verified, ...((found?.slice(1) ?? []) as Partial<CountedPair>))
            : await countAs(runId, verified.countedAs, verified);
        return { identity: verified.identity, rate };
      }
      if (found?.[1] === 'refused') {
        lookUps.inc({ outcome: 'hit' });
        return null;
      }
      // While Redis is unavailable, the keys that this process knows.
      const wasValid = found ? found[1] === 'valid' : read.digestOf(prefix) === digest;
      if (!wasValid) await admit?.();
      let token: string | undefined;
      if (name !== undefined && found !== undefined) {
        lookUps.inc({ outcome: 'miss' });
        token = tokenIn(stored) ?? (await orUndefined(place(name)));
      } else lookUps.inc({ outcome: 'bypass' });

      const verified = await verify();
      if (!verified) {
        if (name !== undefined && token !== undefined) {
          await orUndefined(redis.eval(REFUSE, KEYS, ...keysOf(name), token, digest));
        }
        return null;
      }
      const filled =
        name === undefined || found === undefined
          ? undefined
          : orUndefined(fill(name, token ?? '', digest, verified, counts));
      if (isOver(verified)) return null;
      // Nobody waits for the fill of a key without a rate. If it fails, the next lookup asks again.
      if (verified.rateLimit.requests === 0 || !counts) return { identity: verified.identity, rate: undefined };
      if (verified.countedAs !== undefined) {
        return { identity: verified.identity, rate: await countAs(runId, verified.countedAs, verified) };
      }
      const counted = await filled;
      const rate = counted ? rateOf(verified, ...counted) : countInMemory(prefix, verified);
      return { identity: verified.identity, rate };
    },
  };
}

function limitOf({ rateLimit }: Rated): { readonly requests: number; readonly windowMs: number } {
  return { requests: rateLimit.requests, windowMs: rateLimit.windowSeconds * 1_000 };
}

function rateOf(verified: Rated, count?: number, resetMs?: number): KeyRateState | undefined {
  if (count === undefined || resetMs === undefined) return undefined;
  const { requests: limit, windowMs } = limitOf(verified);
  return { limit, windowMs, count, resetMs };
}

/** @returns a function that makes sure that no gateway finds these keys in the cache as they were before */
export function identityInvalidation(redis: Redis): (prefixes: readonly string[]) => Promise<void> {
  const incarnation = trackIncarnation(redis);
  return async (prefixes) => {
    if (prefixes.length === 0) return;
    try {
      const runId = await incarnation.runId();
      if (runId === undefined) throw new Error('The run id of the Redis server is not known.');
      const names = prefixes.flatMap((prefix) => incarnation.recent().map((run) => nameOf(run, prefix)));
      await redis.del(names.flatMap((name) => [name, refusedOf(name)]));
    } catch (cause) {
      const error = new OperationError(
        'UNAVAILABLE',
        'The change is stored, but the cache of verified keys is unavailable, so it may not hold everywhere yet. Repeat the request until it succeeds.',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
      error.cause = cause;
      throw error;
    }
  };
}

/** An unavailable Redis, which connectRedis logs, is done without: the keys service is asked, and its answer is not kept. */
async function orUndefined<T>(command: Promise<T>): Promise<T | undefined> {
  try {
    return await command;
  } catch {
    return undefined;
  }
}

function entryIn(
  stored: string | null | undefined,
): { readonly digest: string; readonly verified: Verified } | undefined {
  if (!stored || stored.startsWith(CLAIM)) return undefined;
  const [digest = '', rate] = stored.split('|', 2);
  if (rate === undefined) return undefined;
  const entry = JSON.parse(stored.slice(digest.length + rate.length + 2)) as Entry;
  return entry.version === ENTRY_VERSION ? { digest, verified: entry } : undefined;
}

const MAX_READ = 1_000;

/** Avoids parsing an unchanged entry again, which was 3 % of the cost of a small answer in the gateway. The entry is still requested every time. */
function entryReader() {
  const lastRead = new LRUCache<
    string,
    { readonly stored: string; readonly entry: NonNullable<ReturnType<typeof entryIn>> }
  >({ max: MAX_READ });
  return {
    entryIn(prefix: string, stored: string | null | undefined): ReturnType<typeof entryIn> {
      if (!stored) return undefined;
      const last = lastRead.get(prefix);
      if (last?.stored === stored) return last.entry;
      const entry = entryIn(stored);
      if (entry) lastRead.set(prefix, { stored, entry });
      return entry;
    },
    /** Of the key that was last valid. */
    digestOf: (prefix: string) => lastRead.get(prefix)?.entry.digest,
  };
}

const tokenIn = (stored: string | null | undefined) => (stored?.startsWith(CLAIM) ? stored : undefined);

function isOver({ expiresAt }: Verified): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now();
}

function matches(digest: string, presented: string): boolean {
  return timingSafeEqual(Buffer.from(digest), Buffer.from(presented));
}
