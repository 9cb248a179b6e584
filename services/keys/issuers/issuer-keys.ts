import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@worktrack/rpc/types';
import type { Destinations } from '@worktrack/runtime/outbound/destination';
import { sharedRun } from '@worktrack/runtime/process/shared-run';
import { LRUCache } from 'lru-cache';
import type { PublicJwk } from '../trust-rules/trust-rules.model.ts';
import { FETCH_MS, fetchKeys } from './fetch-keys.ts';
import type { IssuerKeysDocument } from './issuer-keys.model.ts';
import { readIssuerKeys, storeFailure, storeIssuerKeys, takeTry } from './issuer-keys.repository.ts';

const MINUTE_MS = 60_000;
/** Keys that were asked for earlier are used only while the issuer does not answer: a key that it withdraws is dead by then. */
const FRESH_MS = 10 * MINUTE_MS;
/** From then on they are asked for while the old ones are still used, so that nobody waits. */
const REFRESH_AFTER_MS = 8 * MINUTE_MS;
const MAX_AGE_MS = 24 * 60 * MINUTE_MS;
/** Between two questions to an issuer, of all replicas together, whether it answers or not. */
const BETWEEN_TRIES_MS = MINUTE_MS;
/** A try that lies further ahead was that of a wrong clock, and holds up nobody. If two clocks differ by less, the issuer is still not asked more often. */
const AHEAD_MS = FRESH_MS;
/** How long a replica relies on what it read of the store. */
const READ_AGAIN_MS = 10_000;
const POLL_MS = 100;
const MAX_ISSUERS = 1_000;

interface Read {
  readonly stored: IssuerKeysDocument | undefined;
  readonly atMs: number;
}

/**
 * The key sets of the issuers that rules trust, kept in the database for all replicas. Who takes the try asks the issuer; the others use what it stores.
 */
export class IssuerKeys {
  readonly #destinations: Destinations;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #reads = new LRUCache<string, Read>({ max: MAX_ISSUERS });
  readonly #readings = new Map<string, Promise<Read>>();
  readonly #refreshes = new Map<string, Promise<Read>>();

  constructor(needs: { readonly destinations: Destinations; readonly log: Log; readonly now?: () => number }) {
    this.#destinations = needs.destinations;
    this.#log = needs.log;
    this.#now = needs.now ?? Date.now;
  }

  /** @returns the keys with this id: none, if the issuer has no such key; undefined, if its keys are not to be had */
  async withId(issuer: string, kid: string): Promise<readonly PublicJwk[] | undefined> {
    const found = await this.withIdAtOnce(issuer, kid);
    return found === 'asking' ? this.#usable(await this.#refresh(issuer))?.filter((key) => key.kid === kid) : found;
  }

  /** The same without waiting for anybody but the database. @returns `asking`, if the issuer has to be asked first */
  async withIdAtOnce(issuer: string, kid: string): Promise<readonly PublicJwk[] | undefined | 'asking'> {
    const known = this.#reads.get(issuer);
    const isKnown = known && this.#now() - known.atMs < READ_AGAIN_MS;
    // Once, however many calls find that it is time.
    const read = isKnown ? known : await sharedRun(this.#readings, issuer, () => this.#read(issuer));
    const isAsked = this.#isAskedRecently(read);
    const ageMs = this.#ageMs(read);
    if (ageMs >= FRESH_MS && !isAsked) return 'asking';
    if (ageMs >= REFRESH_AFTER_MS) void this.#refresh(issuer).catch(() => undefined);
    const found = this.#usable(read)?.filter((key) => key.kid === kid);
    // Another may be a new one.
    return found?.length || isAsked ? found : 'asking';
  }

  /** How many more keys the issuer had, when it was last asked, than are kept. */
  leftOut(issuer: string): number {
    return this.#reads.get(issuer)?.stored?.leftOut ?? 0;
  }

  /** Why its keys could not be fetched, in a sentence, when that was last so. */
  failureOf(issuer: string): string | undefined {
    return this.#reads.get(issuer)?.stored?.failure;
  }

  /** @returns the ids of the issuer's keys, and for how long (ms) it is not asked for others; undefined if it may be asked now, or its keys are unavailable */
  known(issuer: string): { readonly keyIds: readonly string[]; readonly forMs: number } | undefined {
    const read = this.#reads.get(issuer);
    const keys = read && this.#usable(read);
    const forMs = read ? this.#notAskedForMs(read) : 0;
    return keys && forMs > 0 ? { keyIds: keys.flatMap(({ kid }) => kid ?? []), forMs } : undefined;
  }

  /** @returns for how long (ms) its keys are not to be had, whoever needs them; 0, if it may be asked */
  unavailableForMs(issuer: string): number {
    const read = this.#reads.get(issuer);
    return read && !this.#usable(read) ? this.#notAskedForMs(read) : 0;
  }

  async #read(issuer: string): Promise<Read> {
    const read = { stored: await readIssuerKeys(issuer), atMs: this.#now() };
    this.#reads.set(issuer, read);
    return read;
  }

  #ageMs({ stored }: Read): number {
    // By a clock that was ahead, they may have been fetched in the future.
    return stored?.fetchedAt ? Math.abs(this.#now() - stored.fetchedAt.getTime()) : Number.POSITIVE_INFINITY;
  }

  #usable(read: Read): readonly PublicJwk[] | undefined {
    return this.#ageMs(read) < MAX_AGE_MS ? read.stored?.keys : undefined;
  }

  /** The last try is less than a minute ago, and its outcome is known. */
  #isAskedRecently(read: Read): boolean {
    return this.#notAskedForMs(read) > 0;
  }

  /** @returns for how long (ms) it is not asked, since the outcome of the last try is known; 0, if it may be */
  #notAskedForMs({ stored }: Read): number {
    if (!stored || !isOver(stored)) return 0;
    const agoMs = this.#now() - stored.triedAt.getTime();
    return agoMs < -AHEAD_MS ? 0 : Math.max(0, BETWEEN_TRIES_MS - agoMs);
  }

  #refresh(issuer: string): Promise<Read> {
    const known = this.#reads.get(issuer);
    // However many made-up key ids arrive, the database is not asked about each.
    if (known && this.#isAskedRecently(known)) return Promise.resolve(known);
    return sharedRun(this.#refreshes, issuer, () => this.#refreshOnce(issuer));
  }

  async #refreshOnce(issuer: string): Promise<Read> {
    const at = new Date(this.#now());
    const notAfter = new Date(at.getTime() - BETWEEN_TRIES_MS);
    const ahead = new Date(at.getTime() + AHEAD_MS);
    if (await takeTry(issuer, at, notAfter, ahead)) {
      try {
        const fetched = await fetchKeys(issuer, this.#destinations);
        if (fetched.leftOut > 0) {
          this.#log.warn({ issuer, leftOut: fetched.leftOut }, 'An issuer has more keys than are kept');
        }
        await storeIssuerKeys(issuer, fetched, at);
      } catch (error) {
        this.#log.warn({ error, issuer }, 'The keys of an issuer could not be fetched');
        await storeFailure(issuer, at, (error as Error).message);
      }
      return await this.#read(issuer);
    }
    // Another replica is asking; it says nothing when it is done.
    const begunAtMs = performance.now();
    for (;;) {
      const read = await this.#read(issuer);
      if (!read.stored || isOver(read.stored) || performance.now() - begunAtMs > FETCH_MS) return read;
      await delay(POLL_MS);
    }
  }
}

function isOver({ triedAt, fetchedAt, failedAt }: IssuerKeysDocument): boolean {
  return Math.max(fetchedAt?.getTime() ?? 0, failedAt?.getTime() ?? 0) >= triedAt.getTime();
}
