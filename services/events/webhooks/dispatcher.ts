import type { Log } from '@worktrack/rpc/types';
import { endpointsUnderWay } from './metrics.ts';
import { Presence } from './presence.ts';
import type { SecretBox } from './secrets.ts';
import type { Sender } from './sending/send.ts';
import { Turn } from './turn.ts';
import type { WebhookDocument } from './webhooks.model.ts';
import { dueWebhooks, nextDueAt, releaseWebhook, takeWebhook } from './webhooks.repository.ts';

/** How long it takes at most to find what other replicas queued, or a turn that failed. What this one queued is sent at once. */
const LOOK_EVERY_MS = 5_000;
const RETRY_MS = 2_000;

/** How many endpoints are sent to in parallel, and how many of them may belong to one organization. */
interface Pool {
  readonly unwell: boolean;
  readonly places: number;
  readonly placesOfOne: number;
}
/** Separate, so that endpoints that take 15 s to fail occupy no places meant for healthy ones. */
const POOLS: readonly Pool[] = [
  { unwell: false, places: 96, placesOfOne: 24 },
  { unwell: true, places: 64, placesOfOne: 8 },
];

/** Sends what is queued, in any number of replicas: each endpoint belongs to one of them at a time. */
export class Dispatcher {
  readonly #sender: Sender;
  readonly #box: SecretBox;
  readonly #log: Log;
  readonly #presence: Presence;
  readonly #stopping = new AbortController();
  /** The organizations whose endpoints are currently being sent to. */
  readonly #underWay = new Map<Pool, string[]>(POOLS.map((pool) => [pool, []]));
  readonly #turns = new Set<Promise<void>>();
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: {
    readonly sender: Sender;
    readonly box: SecretBox;
    readonly log: Log;
  }) {
    this.#sender = parts.sender;
    this.#box = parts.box;
    this.#log = parts.log;
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
    });
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
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.wake(), pauseMs).unref();
  }

  /** @returns until when there is nothing to look for, unless it is woken */
  async #look(): Promise<number> {
    const holder = this.#presence.holder;
    if (holder === undefined) return RETRY_MS;
    const now = new Date();
    for (const pool of POOLS) await this.#give(pool, holder, now);
    const next = await nextDueAt();
    // One that is due and was not taken waits for a place, and the end of any turn wakes the dispatcher.
    const untilMs = next ? next.getTime() - now.getTime() : LOOK_EVERY_MS;
    return untilMs <= 0 ? LOOK_EVERY_MS : Math.min(untilMs, LOOK_EVERY_MS);
  }

  async #give(pool: Pool, holder: string, now: Date): Promise<void> {
    const underWay = this.#underWay.get(pool) ?? [];
    for (;;) {
      const limit = pool.places - underWay.length;
      if (limit <= 0) return;
      const notOf = organizationsWith(underWay, pool.placesOfOne);
      const due = await dueWebhooks({ unwell: pool.unwell, now, limit, notOf });
      let taken = 0;
      for (const webhook of due) {
        const { organizationId } = webhook;
        if (underWay.filter((each) => each === organizationId).length >= pool.placesOfOne) continue;
        if (this.#stopping.signal.aborted) return;
        if (!(await takeWebhook({ caller: { organizationId } }, webhook, holder))) continue;
        taken++;
        underWay.push(organizationId);
        endpointsUnderWay.inc();
        const turn = this.#turn(webhook, holder).finally(() => {
          underWay.splice(underWay.indexOf(organizationId), 1);
          endpointsUnderWay.dec();
          this.#turns.delete(turn);
          this.wake();
        });
        this.#turns.add(turn);
      }
      // As many as were asked for: there may be more, from organizations queued behind those that have their share.
      if (taken === 0 || due.length < limit) return;
    }
  }

  async #turn(webhook: WebhookDocument, holder: string): Promise<void> {
    const scope = { caller: { organizationId: webhook.organizationId } };
    const parts = {
      sender: this.#sender,
      box: this.#box,
      log: this.#log,
      holds: () => this.#presence.holder === holder,
      stopping: this.#stopping.signal,
    };
    const { unwell, failingSince, notBefore } = webhook;
    try {
      const end = await new Turn(webhook, parts).run();
      await releaseWebhook(scope, webhook, holder, end);
    } catch (error) {
      this.#log.warn({ error, webhook: webhook._id }, 'A turn of a webhook failed; it will be tried again');
      const later = { dueAt: new Date(Date.now() + RETRY_MS), notBefore, unwell, failingSince };
      // If the database is unavailable for this too, it is freed along with everything else this process held.
      await releaseWebhook(scope, webhook, holder, later).catch(() => this.#presence.doubt(holder));
    }
  }
}

function organizationsWith(underWay: readonly string[], count: number): string[] {
  const counts = new Map<string, number>();
  for (const each of underWay) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].flatMap(([organizationId, has]) => (has >= count ? [organizationId] : []));
}
