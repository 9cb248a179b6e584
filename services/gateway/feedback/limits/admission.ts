import type { AdmittedSource } from '@worktrack/contracts/feedback/intake';
import { isPublicKey } from '@worktrack/contracts/feedback/public-key';
import type { RateLimit } from '@worktrack/contracts/feedback/records';
import type { Log } from '@worktrack/rpc/types';
import { sharedRun } from '@worktrack/runtime/process/shared-run';
import type { Redis } from '@worktrack/runtime/redis/connection';
import { RedisFallback } from '@worktrack/runtime/redis/fallback';
import { LRUCache } from 'lru-cache';
import { entryOf, type KnownSource, NO_SOURCE, SourceEntries } from '../source-entry.ts';
import { ADMISSION_SCRIPT } from './admission.script.ts';
import { MemoryRateWindows, type RateState, type RateWindow } from './rate-window.ts';

/** What has its own limit. */
export type RequestKind = 'ingest' | 'bootstrap' | 'challenge';

export interface AdmissionLimits {
  /** For ingest, for sources without their own limits and for public keys that name no source. */
  readonly ingest: RateLimit;
  /** For bootstraps and challenges, per client and source. */
  readonly bootstrapPerIp: number;
}

export interface Admission {
  /** null: no source for that public key. Meaningful only if the request is admitted. */
  readonly source: KnownSource | null;
  readonly rates: readonly RateState[];
  /** 0: admitted. */
  readonly retryMs: number;
}

/**
 * How long a source may be served from a cache, counted from before it was read. A change must take effect within two seconds; the
 * remainder is for requests in progress.
 */
const SOURCE_FRESH_MS = 1_500;
/** Each public key lookup costs an RPC, so one client must not make the gateway look up endless made-up ones. */
const LOOK_UPS_PER_CLIENT = 1_200;
const LOOK_UP_WINDOW_MS = 60_000;
const MAX_SOURCES_IN_MEMORY = 10_000;
/** Anything malformed is not a source and shares windows, so that nobody can fill Redis with made-up names. */
const MALFORMED = 'malformed';

interface Rule {
  readonly windows: readonly RateWindow[];
  readonly windowMs: number;
  /** The source's own limits, if any, replace these. */
  readonly ownLimits: boolean;
}

interface LookedUp {
  readonly entry: string;
  readonly readAtMs: number;
}

interface Counted {
  readonly entry: string;
  readonly rates: readonly RateState[];
}

/**
 * Finds the source of a request and counts the request against its rate windows, in one Redis script call while the source is
 * cached there. Without Redis, this process keeps both.
 */
export class Admissions {
  readonly #redis: ScriptedRedis;
  readonly #lookUp: (publicKey: string, requestId: string) => Promise<AdmittedSource | null>;
  readonly #limits: AdmissionLimits;
  readonly #entries = new SourceEntries();
  readonly #fallback: RedisFallback;
  readonly #memoryWindows = new MemoryRateWindows();
  readonly #memorySources = new LRUCache<string, LookedUp>({ max: MAX_SOURCES_IN_MEMORY });
  /** Per client, so that one cannot exhaust another's lookups; the resulting reads are shared by all. */
  readonly #lookUpsUnderWay = new Map<string, Promise<LookedUp | RateState>>();
  readonly #readsUnderWay = new Map<string, Promise<LookedUp>>();

  constructor(deps: {
    readonly redis: Redis;
    readonly lookUp: (publicKey: string, requestId: string) => Promise<AdmittedSource | null>;
    readonly limits: AdmissionLimits;
    readonly log: Log;
  }) {
    deps.redis.defineCommand('admitFeedback', { lua: ADMISSION_SCRIPT });
    this.#redis = deps.redis as ScriptedRedis;
    this.#lookUp = deps.lookUp;
    this.#limits = deps.limits;
    this.#fallback = new RedisFallback('feedback rates', deps.log);
  }

  /**
   * @param client keyed hash of the client's address
   * @throws OperationError UNAVAILABLE if the source is not cached and the feedback service is unavailable
   */
  async admit(kind: RequestKind, publicKey: string, client: string, requestId: string): Promise<Admission> {
    const wellFormed = isPublicKey(publicKey);
    const name = wellFormed ? publicKey : MALFORMED;
    const rule = this.#rule(kind, name, client);
    let counted = await this.#count(name, rule, wellFormed ? undefined : { entry: NO_SOURCE, readAtMs: 0 });
    if (!counted) {
      const found = await sharedRun(this.#lookUpsUnderWay, `${name} ${client}`, () =>
        this.#limitedLookUp(name, client, requestId),
      );
      if ('retryMs' in found) return { source: null, rates: [found], retryMs: found.retryMs };
      counted = await this.#count(name, rule, found);
    }
    if (!counted) throw new Error('A source that was just looked up is not known.');
    const { entry, rates } = counted;
    return { source: this.#entries.read(entry), rates, retryMs: Math.max(...rates.map(({ retryMs }) => retryMs)) };
  }

  #rule(kind: RequestKind, name: string, client: string): Rule {
    const { ingest, bootstrapPerIp } = this.#limits;
    const key = `${slotOf(name)}:${kind}`;
    const windows: RateWindow[] = [
      { name: 'ip', key: `${key}:ip:${client}`, limit: kind === 'ingest' ? ingest.perIp : bootstrapPerIp },
    ];
    if (kind === 'ingest') windows.push({ name: 'source', key: `${key}:source`, limit: ingest.perSource });
    return { windows, windowMs: ingest.windowSeconds * 1000, ownLimits: kind === 'ingest' };
  }

  /** @returns undefined if the source has to be looked up first; nothing is then counted */
  #count(name: string, rule: Rule, found?: LookedUp): Promise<Counted | undefined> {
    return this.#fallback.run(
      () => this.#countInRedis(name, rule, found),
      () => this.#countInMemory(name, rule, found),
    );
  }

  async #countInRedis(name: string, { windows, windowMs, ownLimits }: Rule, found?: LookedUp) {
    const keys = [`${slotOf(name)}:source`, ...windows.map(({ key }) => key)];
    const freshMs = found ? Math.floor(found.readAtMs + SOURCE_FRESH_MS - performance.now()) : 0;
    const limits = [windows[0]?.limit ?? 0, windows[1]?.limit ?? 0];
    const args = [found?.entry ?? '', freshMs, ...limits, windowMs, ownLimits ? 1 : 0];
    const [outcome, entry, usedWindowMs, ...numbers] = await this.#redis.admitFeedback(keys.length, ...keys, ...args);
    if (outcome === 0) return undefined;
    const rates = windows.map((window): RateState => {
      const [limit = 0, remaining = 0, resetMs = 0, retryMs = 0] = numbers.splice(0, 4);
      return { name: window.name, limit, windowMs: usedWindowMs, remaining, resetMs, retryMs };
    });
    return { entry, rates };
  }

  #countInMemory(name: string, { windows, windowMs, ownLimits }: Rule, found?: LookedUp): Counted | undefined {
    const nowMs = performance.now();
    const source = found ?? this.#fresh(name, nowMs);
    if (!source) return undefined;
    if (found) this.#memorySources.set(name, found);
    const own = ownLimits ? this.#entries.read(source.entry)?.rateLimit : undefined;
    const limited = windows.map((window) => ({
      ...window,
      limit: own ? (window.name === 'ip' ? own.perIp : own.perSource) : window.limit,
    }));
    const rates = this.#memoryWindows.count(limited, own ? own.windowSeconds * 1000 : windowMs, nowMs);
    return { entry: source.entry, rates };
  }

  #fresh(name: string, nowMs: number): LookedUp | undefined {
    const kept = this.#memorySources.get(name);
    return kept && kept.readAtMs + SOURCE_FRESH_MS > nowMs ? kept : undefined;
  }

  /** @returns the rate's state if this client has had too many lookups */
  async #limitedLookUp(publicKey: string, client: string, requestId: string): Promise<LookedUp | RateState> {
    const name = 'look-ups';
    const windows = [{ name: 'ip', key: `${slotOf(name)}:ip:${client}`, limit: LOOK_UPS_PER_CLIENT }] as const;
    const rule: Rule = { windows, windowMs: LOOK_UP_WINDOW_MS, ownLimits: false };
    const rate = (await this.#count(name, rule, { entry: NO_SOURCE, readAtMs: 0 }))?.rates[0];
    if (rate && rate.retryMs > 0) return rate;
    return await sharedRun(this.#readsUnderWay, publicKey, () => this.#read(publicKey, requestId));
  }

  async #read(publicKey: string, requestId: string): Promise<LookedUp> {
    const readAtMs = performance.now();
    return { entry: entryOf(await this.#lookUp(publicKey, requestId)), readAtMs };
  }
}

/** The braces keep all keys of a name in one cluster slot. */
function slotOf(name: string): string {
  return `feedback:{${name}}`;
}

type Answer = [outcome: 0 | 1 | 2, entry: string, windowMs: number, ...windows: number[]];
interface ScriptedRedis extends Redis {
  admitFeedback(keys: number, ...keysAndArgs: (string | number)[]): Promise<Answer>;
}
