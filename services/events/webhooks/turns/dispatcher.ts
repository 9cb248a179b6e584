import type { Log } from '@worktrack/rpc/types';
import { recordAttempts } from '../deliveries/deliveries.repository.ts';
import { endpointsUnderWay } from '../deliveries/metrics.ts';
import type { KeptPlaces, Queued, Sending, Taken } from '../queueing/taking.ts';
import type { SecretBox } from '../secrets/secrets.ts';
import type { Sender } from '../sending/send.ts';
import type { WebhookDocument } from '../webhooks.model.ts';
import { dueWebhooks, nextDueAt, releaseWebhooks, takeWebhooks } from '../webhooks.repository.ts';
import { Gathered } from './gathered.ts';
import { Presence } from './presence.ts';
import { organizationsWith, withinShares } from './shares.ts';
import { Turn } from './turn.ts';

/** How long it takes at most to find what other replicas queued, or a turn that failed. What this one queued is sent at once. */
const LOOK_EVERY_MS = 5_000;
const RETRY_MS = 2_000;
/** Commands that record attempts: a server may carry out the writes of one command one after the other. */
const RECORDS_AT_ONCE = 4;
/** One, so that the transactions that queue events, which write webhooks too, meet one writer however many turns end. */
const RELEASES_AT_ONCE = 1;

/** How many endpoints are sent to in parallel, and how many of them may belong to one organization. */
interface Pool {
  readonly unwell: boolean;
  readonly places: number;
  readonly placesOfOne: number;
}
/** Separate, so that endpoints that take 15 s to fail occupy no places meant for healthy ones. */
const HEALTHY: Pool = { unwell: false, places: 96, placesOfOne: 24 };
const POOLS: readonly Pool[] = [HEALTHY, { unwell: true, places: 64, placesOfOne: 8 }];

/**
 * Turns of healthy endpoints that only wait for answers: they need no place, so endpoints that take 15 s to answer occupy none that others wait for. Bounded, since each has up
 * to eight connections.
 */
const MAX_WAITING = 256;

/** Sends what is queued, in any number of replicas: each endpoint belongs to one of them at a time. */
export class Dispatcher implements Sending {
  readonly #sender: Sender;
  readonly #box: SecretBox;
  readonly #log: Log;
  readonly #onWell: (organizationId: string) => void;
  readonly #attempts = new Gathered(recordAttempts, RECORDS_AT_ONCE);
  readonly #releases = new Gathered(releaseWebhooks, RELEASES_AT_ONCE);
  readonly #presence: Presence;
  readonly #stopping = new AbortController();
  /** The organizations whose endpoints are currently being sent to. */
  readonly #underWay = new Map<Pool, string[]>(POOLS.map((pool) => [pool, []]));
  readonly #turns = new Set<Promise<void>>();
  #waiting = 0;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  /** Where something due may have been left for lack of a place. */
  readonly #short = new Set<Pool>();
  #timer: NodeJS.Timeout | undefined;
  #looksAtMs = Number.POSITIVE_INFINITY;

  constructor(parts: {
    readonly sender: Sender;
    readonly box: SecretBox;
    readonly log: Log;
    /** An endpoint of this organization that was failing accepts events again. */
    onWell(organizationId: string): void;
  }) {
    this.#sender = parts.sender;
    this.#box = parts.box;
    this.#log = parts.log;
    this.#onWell = parts.onWell;
    this.#presence = new Presence(parts.log, () => this.wake());
  }

  start(): void {
    this.#presence.start();
    this.wake();
  }

  /** Waits for the requests in progress to end. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#looking;
    await Promise.all(this.#turns);
    await this.#presence.stop();
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#lookAgain = true;
    this.#looking ??= this.#lookOn().finally(() => {
      this.#looking = undefined;
      // Woken since the last look.
      if (this.#lookAgain) this.wake();
    });
  }

  /** None while others that are due wait for a place. */
  keepPlaces(organizationId: string, wanted: number): KeptPlaces | undefined {
    const { holder } = this.#presence;
    if (holder === undefined || this.#short.has(HEALTHY) || this.#stopping.signal.aborted) return undefined;
    const underWay = this.#underWay.get(HEALTHY) ?? [];
    const ofOne = underWay.filter((each) => each === organizationId).length;
    const count = Math.min(wanted, HEALTHY.places - underWay.length, HEALTHY.placesOfOne - ofOne);
    if (count <= 0) return undefined;
    for (let place = 0; place < count; place++) underWay.push(organizationId);
    const use = (taken: readonly Taken[]) => {
      for (let place = 0; place < count; place++) underWay.splice(underWay.indexOf(organizationId), 1);
      for (const { webhook, queued } of taken) this.#begin(webhook, holder, HEALTHY, queued);
      if (taken.length < count && this.#mustLook(HEALTHY)) this.wake();
    };
    const doubt = () => {
      this.#presence.doubt(holder);
      use([]);
    };
    return { count, holder, use, doubt };
  }

  async #lookOn(): Promise<void> {
    let pauseMs = LOOK_EVERY_MS;
    while (this.#lookAgain && !this.#stopping.signal.aborted) {
      this.#lookAgain = false;
      try {
        pauseMs = await this.#look();
      } catch (error) {
        this.#log.warn({ error }, 'Could not look up what to send to webhooks; trying again');
        pauseMs = RETRY_MS;
      }
    }
    this.#looksAtMs = Number.POSITIVE_INFINITY;
    this.#lookBy(Date.now() + pauseMs);
  }

  /** Looks at that time at the latest. */
  #lookBy(timeMs: number): void {
    if (timeMs >= this.#looksAtMs) return;
    clearTimeout(this.#timer);
    this.#looksAtMs = timeMs;
    this.#timer = setTimeout(() => this.wake(), Math.max(0, timeMs - Date.now())).unref();
  }

  /** @returns until when there is nothing to look for, unless it is woken */
  async #look(): Promise<number> {
    const holder = this.#presence.holder;
    if (holder === undefined) return RETRY_MS;
    const now = new Date();
    for (const pool of POOLS) {
      if (await this.#give(pool, holder, now)) this.#short.add(pool);
      else this.#short.delete(pool);
    }
    const next = await nextDueAt();
    // One that is due and was not taken waits for a place, and the end of a turn of its pool wakes the dispatcher.
    const untilMs = next ? next.getTime() - now.getTime() : LOOK_EVERY_MS;
    return untilMs <= 0 ? LOOK_EVERY_MS : Math.min(untilMs, LOOK_EVERY_MS);
  }

  /** @returns whether there may be more that is due */
  async #give(pool: Pool, holder: string, now: Date): Promise<boolean> {
    const underWay = this.#underWay.get(pool) ?? [];
    for (;;) {
      const limit = pool.places - underWay.length;
      if (limit <= 0) return true;
      const notOf = organizationsWith(underWay, pool.placesOfOne);
      const due = await dueWebhooks({ unwell: pool.unwell, now, limit, notOf });
      const chosen = withinShares(due, underWay, pool.placesOfOne);
      if (this.#stopping.signal.aborted) return false;
      const areTaken = await this.#take(chosen, holder, pool);
      // As many as were asked for: there may be more, from organizations queued behind those that have their share.
      if (!areTaken || due.length < limit) return notOf.length > 0 || chosen.length < due.length;
    }
  }

  /** @returns whether any of them was free */
  async #take(due: readonly WebhookDocument[], holder: string, pool: Pool): Promise<boolean> {
    try {
      const taken = await takeWebhooks(due, holder);
      for (const webhook of taken) this.#begin(webhook, holder, pool);
      return taken.length > 0;
    } catch (error) {
      // Some may be held without a turn.
      this.#presence.doubt(holder);
      throw error;
    }
  }

  /** Whether something due may wait for a place that has become free: a look in progress may not have seen that it is. */
  #mustLook(pool: Pool): boolean {
    return this.#short.has(pool) || this.#looking !== undefined;
  }

  #begin(webhook: WebhookDocument, holder: string, pool: Pool, queued?: readonly Queued[]): void {
    const { organizationId } = webhook;
    const underWay = this.#underWay.get(pool) ?? [];
    underWay.push(organizationId);
    endpointsUnderWay.inc();
    let isWaiting = false;
    const leave = () => void underWay.splice(underWay.indexOf(organizationId), 1);
    const waits = () => {
      if (pool.unwell || isWaiting || this.#waiting >= MAX_WAITING) return;
      isWaiting = true;
      this.#waiting++;
      leave();
      if (this.#mustLook(pool)) this.wake();
    };
    const turn = this.#turn(webhook, holder, waits, queued).then((dueAt) => {
      if (isWaiting) this.#waiting--;
      else leave();
      endpointsUnderWay.dec();
      this.#turns.delete(turn);
      if (this.#mustLook(pool)) this.wake();
      else if (dueAt && !this.#stopping.signal.aborted) this.#lookBy(dueAt.getTime());
    });
    this.#turns.add(turn);
  }

  /** @returns when it is due again */
  async #turn(
    webhook: WebhookDocument,
    holder: string,
    waits: () => void,
    queued: readonly Queued[] | undefined,
  ): Promise<Date | null> {
    const parts = {
      sender: this.#sender,
      box: this.#box,
      log: this.#log,
      attempts: this.#attempts,
      holds: () => this.#presence.holder === holder,
      waits,
      stopping: this.#stopping.signal,
    };
    const { unwell, failingSince, notBefore } = webhook;
    try {
      const end = await new Turn(webhook, parts, queued).run();
      const dueAt = await this.#releases.add({ webhook, holder, end });
      if (unwell && !end.unwell) this.#onWell(webhook.organizationId);
      return dueAt;
    } catch (error) {
      this.#log.warn({ error, webhook: webhook._id }, 'A turn of a webhook failed; it will be tried again');
      const later = { dueAt: new Date(Date.now() + RETRY_MS), notBefore, unwell, failingSince };
      // If the database is unavailable for this too, it is freed along with everything else this process held.
      return await this.#releases.add({ webhook, holder, end: later }).catch(() => {
        this.#presence.doubt(holder);
        return null;
      });
    }
  }
}
