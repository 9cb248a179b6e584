import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Log } from '@worktrack/rpc/types';
import type { Scope } from '@worktrack/runtime/database/scope';
import { tracing } from '@worktrack/runtime/tracing/tracing';
import { at } from '../../log/places.repository.ts';
import {
  type Attempt,
  type AttemptResult,
  type Due,
  freshDeliveries,
  heldSubjects,
  isDelivered,
  nextRetries,
  type Retry,
} from '../deliveries/deliveries.repository.ts';
import { attempted, deliveries } from '../deliveries/metrics.ts';
import { disableWebhook } from '../disable.ts';
import { maySee } from '../queueing/matching.ts';
import type { Queued } from '../queueing/taking.ts';
import type { SecretBox } from '../secrets/secrets.ts';
import { REQUESTS_AT_ONCE, type Sender, type Sent } from '../sending/send.ts';
import { signatureHeaders } from '../sending/signature.ts';
import type { WebhookDocument } from '../webhooks.model.ts';
import { type TurnEnd, webhookById } from '../webhooks.repository.ts';
import type { Gathered } from './gathered.ts';
import { endpointPauseMs, FAILING_MS, HOLD_MS, pauseMs } from './schedule.ts';

/** After this, it is the others' turn. Requests in progress are waited for. */
const TURN_MS = 5_000;
/** How many deliveries are read at once. While fewer are queued, the next ones are read and these are sent. */
const BATCH = 100;
const MAX_QUEUED = 200;
/** An endpoint that answers nothing for this long is waited for without a place. */
const WAITS_AFTER_MS = 1_000;
/** How soon a change to a webhook, or its deletion, takes effect. */
const FRESH_MS = 1_000;
/** How soon to look again whether the log has been read up to what is already queued. Whoever reads it does so while there is nothing to try. */
const UNREAD_MS = 10_000;
const GONE = 410;

export interface TurnParts {
  readonly sender: Sender;
  readonly box: SecretBox;
  readonly log: Log;
  readonly attempts: Gathered<Attempt, undefined>;
  /** Whether this process may still send to the webhook. */
  holds(): boolean;
  /** Called each time that no request has ended for a while. */
  waits(): void;
  readonly stopping: AbortSignal;
}

/** With its event, if that is still in the log. */
type Loaded = Due & { readonly event: LoggedEvent | undefined };

/**
 * Sends what is due to one endpoint, for a while. A healthy endpoint gets several requests in parallel, but those about one subject one after the other. A
 * failing one gets a single request, which shows whether it is healthy again.
 */
export class Turn {
  readonly #scope: Scope;
  readonly #parts: TurnParts;
  readonly #isProbe: boolean;
  readonly #batch: number;
  readonly #endsAt = performance.now() + TURN_MS;
  #webhook: WebhookDocument;
  #readAt: number;
  #failingSince: Date | null;
  #unwell: boolean;
  #notBefore: Date | null = null;
  #isOver = false;

  readonly #queue: Loaded[] = [];
  /** Subjects with a delivery in progress. */
  readonly #busy = new Set<string>();
  /** Queued, in progress, or not recorded yet. */
  readonly #unrecorded = new Set<string>();
  /** The subjects whose later events wait, and until when. */
  #held: Map<string, number> = new Map();
  #isHoldLifted = false;
  #fills = 0;
  /** How far the untried ones, and those to be retried, have been read. */
  #readTo: Due | undefined;
  #retriesReadTo: Retry | undefined;
  /** When there is something to retry beyond these. */
  #retryAtMs = 0;
  #hasMore = true;
  /** Whatever there was to send, or will be, was read. */
  #isAllRead = false;
  #filling: Promise<void> | undefined;
  readonly #waiting: NodeJS.Timeout;
  /** Attempts that are not recorded yet, or could not be. */
  readonly #recording = new Set<Promise<void>>();

  /** @param queued all that there is to send, in the order of the log, if the webhook was idle before */
  constructor(webhook: WebhookDocument, parts: TurnParts, queued?: readonly Queued[]) {
    this.#scope = { caller: { organizationId: webhook.organizationId } };
    this.#parts = parts;
    this.#webhook = webhook;
    this.#readAt = performance.now();
    this.#failingSince = webhook.failingSince;
    this.#unwell = webhook.unwell;
    this.#isProbe = webhook.unwell;
    this.#batch = webhook.unwell ? 1 : BATCH;
    this.#waiting = setTimeout(() => parts.waits(), WAITS_AFTER_MS);
    if (queued) this.#begin(queued);
  }

  #begin(queued: readonly Queued[]): void {
    for (const delivery of queued) this.#unrecorded.add(delivery._id);
    this.#queue.push(...queued);
    this.#fills = 1;
    this.#readTo = queued.at(-1);
    this.#retryAtMs = Number.POSITIVE_INFINITY;
    this.#hasMore = false;
    this.#isAllRead = true;
  }

  async run(): Promise<TurnEnd> {
    const lanes = this.#isProbe ? 1 : REQUESTS_AT_ONCE;
    // All of them: nothing may be in progress once it is somebody else's turn.
    const ended = await Promise.allSettled(Array.from({ length: lanes }, () => this.#sendAll()));
    clearTimeout(this.#waiting);
    const kept = await Promise.allSettled([...this.#recording, this.#filling]);
    for (const each of [...ended, ...kept]) if (each.status === 'rejected') throw each.reason;
    return {
      dueAt: await this.#dueAt(),
      notBefore: this.#notBefore,
      unwell: this.#unwell,
      failingSince: this.#failingSince,
    };
  }

  async #sendAll(): Promise<void> {
    for (;;) {
      const delivery = await this.#next();
      if (!delivery) return;
      try {
        await this.#attempt(delivery);
      } catch (error) {
        this.#isOver = true;
        throw error;
      } finally {
        this.#busy.delete(delivery.about);
      }
    }
  }

  /** The first one whose subject has nothing in progress; from now on it has. */
  async #next(): Promise<Loaded | undefined> {
    while (!this.#isOver && performance.now() < this.#endsAt && !this.#parts.stopping.aborted) {
      const index = this.#queue.findIndex(({ about }) => !this.#busy.has(about));
      const [delivery] = index === -1 ? [] : this.#queue.splice(index, 1);
      if (delivery) {
        // Synchronously, before anybody else can look.
        this.#busy.add(delivery.about);
        if (this.#hasMore && !this.#isProbe && this.#queue.length < BATCH) {
          this.#fillOnce().catch(() => {
            // Thrown again where the turn ends.
            this.#isOver = true;
          });
        }
        return delivery;
      }
      if (!this.#hasMore || this.#queue.length >= MAX_QUEUED) return undefined;
      await this.#fillOnce();
    }
    return undefined;
  }

  #fillOnce(): Promise<void> {
    this.#filling ??= this.#fill().then(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #fill(): Promise<void> {
    // Taken before anything is read: what is recorded meanwhile may be read as if it were not.
    const unrecorded = new Set(this.#unrecorded);
    const isFirst = this.#fills++ === 0;
    // The first time it has just been read.
    if (!isFirst && !(await this.#readWebhook())) {
      this.#isOver = true;
      return;
    }
    // Read before the deliveries: those up to here are all there, whereas one at a later place may be visible before one at an earlier.
    const complete = this.#webhook.cursor;
    const retries = await this.#dueRetries();
    if (isFirst && (retries.length > 0 || this.#retryAtMs < Number.POSITIVE_INFINITY)) {
      const held = await heldSubjects(this.#scope, [this.#webhook._id], Date.now());
      this.#held = new Map(held.get(this.#webhook._id));
    }
    // From the first one again: what waited for its subject comes before what was queued later.
    if (this.#isHoldLifted) this.#readTo = undefined;
    this.#isHoldLifted = false;
    const notAbout = [...this.#held.keys()];
    const place = { after: this.#readTo, limit: this.#batch };
    const page = await freshDeliveries(this.#scope, this.#webhook._id, { notAbout, ...place });
    const fresh = page.filter(({ seq }) => seq <= complete);
    this.#readTo = fresh.at(-1) ?? this.#readTo;
    this.#hasMore = fresh.length === this.#batch || this.#isHoldLifted || this.#retryAtMs <= Date.now();
    this.#isAllRead = !this.#hasMore && fresh.length === page.length;
    const found = [...retries, ...fresh].filter(({ _id }) => !unrecorded.has(_id));
    const events = await at(
      this.#scope.caller.organizationId,
      found.map(({ seq }) => seq),
    );
    for (const delivery of found) {
      this.#unrecorded.add(delivery._id);
      this.#queue.push({ ...delivery, event: events.get(delivery.seq) });
    }
    // Retries before new ones; within a subject, in log order.
    this.#queue.sort((a, b) => a.seq - b.seq);
  }

  /** Those not read yet that are to be retried by now. */
  async #dueRetries(): Promise<Retry[]> {
    const nowMs = Date.now();
    if (nowMs < this.#retryAtMs) return [];
    const place = { after: this.#retriesReadTo, limit: this.#batch };
    const page = await nextRetries(this.#scope, this.#webhook._id, place);
    const due = page.filter(({ dueAtMs }) => dueAtMs <= nowMs);
    this.#retriesReadTo = due.at(-1) ?? this.#retriesReadTo;
    this.#retryAtMs = page[due.length]?.dueAtMs ?? (page.length === this.#batch ? nowMs : Number.POSITIVE_INFINITY);
    return due;
  }

  async #attempt(delivery: Loaded): Promise<void> {
    const { event } = delivery;
    if (!event) {
      this.#giveUp(delivery, 'The event is no longer in the log.');
      return;
    }
    if (!(await this.#isStillOn()) || !this.#parts.holds()) {
      this.#isOver = true;
      return;
    }
    if (!maySee(this.#webhook, event)) {
      this.#giveUp(delivery, 'The webhook has changed since, and may not send this event any more.');
      return;
    }
    const at = new Date();
    const sent = await deliver(this.#webhook, event, { attempt: delivery.attempts + 1, at }, this.#parts);
    this.#waiting.refresh();
    const { wishMs, ...outcome } = { ...sent, at };
    if (isDelivered(outcome)) {
      this.#failingSince = null;
      this.#unwell = false;
      if (delivery.holdsUntilMs !== undefined && this.#held.get(delivery.about) === delivery.holdsUntilMs) {
        this.#held.delete(delivery.about);
        this.#isHoldLifted = true;
        this.#hasMore = true;
      }
      // Once a probe has shown that it is healthy, its next turn is an ordinary one.
      if (this.#isProbe) this.#isOver = true;
      this.#keep(delivery, outcome, {});
    } else {
      await this.#failed(delivery, outcome, wishMs);
    }
  }

  #giveUp(delivery: Due, error: string): void {
    this.#keep(delivery, { status: null, error, answer: null, durationMs: null, at: new Date() }, {});
  }

  async #failed(delivery: Loaded, outcome: AttemptResult, wishMs: number | undefined): Promise<void> {
    this.#isOver = true;
    this.#unwell = true;
    this.#failingSince ??= outcome.at;
    const nowMs = Date.now();
    const pauseOfAllMs = endpointPauseMs(nowMs - this.#failingSince.getTime());
    this.#notBefore = new Date(nowMs + Math.max(pauseOfAllMs, Math.min(wishMs ?? 0, HOLD_MS)));
    const pause = pauseMs(delivery.attempts + 1 - delivery.attemptsBefore, wishMs);
    const retryAtMs = pause === undefined ? undefined : nowMs + pause;
    // From its first failure on, whatever becomes of the next attempts.
    const holdsUntilMs = delivery.holdsUntilMs ?? nowMs + HOLD_MS;
    if (retryAtMs !== undefined && holdsUntilMs > nowMs) this.#held.set(delivery.about, holdsUntilMs);
    this.#keep(delivery, outcome, { retryAtMs, holdsUntilMs });
    if (outcome.status === GONE) await this.#disable('gone');
    else if (nowMs - this.#failingSince.getTime() >= FAILING_MS) await this.#disable('failing');
  }

  async #disable(reason: 'gone' | 'failing'): Promise<void> {
    const { _id } = this.#webhook;
    if (!(await disableWebhook(this.#scope, _id, reason))) return;
    this.#parts.log.info({ webhook: _id, reason }, 'A webhook was disabled');
  }

  /** As it was a moment ago at the latest. */
  async #isStillOn(): Promise<boolean> {
    if (performance.now() - this.#readAt > FRESH_MS && !(await this.#readWebhook())) return false;
    return !this.#isOver;
  }

  /** @returns whether it is still enabled */
  async #readWebhook(): Promise<boolean> {
    const readAt = performance.now();
    const webhook = await webhookById(this.#scope, this.#webhook._id);
    if (!webhook?.enabled) return false;
    this.#webhook = webhook;
    this.#readAt = readAt;
    return true;
  }

  #keep(delivery: Due, outcome: AttemptResult, after: Pick<Attempt, 'retryAtMs' | 'holdsUntilMs'>): void {
    if (isDelivered(outcome)) deliveries.inc({ state: 'delivered' });
    else if (after.retryAtMs === undefined) deliveries.inc({ state: 'failed' });
    const { organizationId } = this.#scope.caller;
    const recorded = this.#parts.attempts.add({ organizationId, delivery, outcome, ...after }).then(() => {
      this.#unrecorded.delete(delivery._id);
      this.#recording.delete(recorded);
    });
    this.#recording.add(recorded);
    recorded.catch(() => {
      // Thrown again where the turn ends: nothing may continue as if it were recorded.
      this.#isOver = true;
    });
  }

  /** When there will be something to send. */
  async #dueAt(): Promise<Date | null> {
    const { _id } = this.#webhook;
    // What waits for its subject is sent, at the latest, when that is no longer held.
    const times = [...this.#held.values()];
    if (this.#isAllRead && !this.#hasMore && !this.#isOver && this.#queue.length === 0) {
      times.push(this.#retryAtMs);
    } else {
      const nowMs = Date.now();
      const [retry] = await nextRetries(this.#scope, _id, { limit: 1 });
      const notAbout = [...this.#held].flatMap(([about, untilMs]) => (untilMs > nowMs ? [about] : []));
      const [free] = await freshDeliveries(this.#scope, _id, { notAbout, limit: 1 });
      if (retry) times.push(retry.dueAtMs);
      // One beyond the cursor was queued before a replay, and is sent once everything up to it is queued again.
      if (free) times.push(free.seq <= this.#webhook.cursor ? nowMs : nowMs + UNREAD_MS);
    }
    const soonestMs = Math.min(...times);
    if (soonestMs === Number.POSITIVE_INFINITY) return null;
    return new Date(Math.max(soonestMs, this.#notBefore?.getTime() ?? 0));
  }
}

/** One request with one event. Never throws: a failure is an outcome too. */
export async function deliver(
  { _id, organizationId, url, secrets }: Pick<WebhookDocument, '_id' | 'organizationId' | 'url' | 'secrets'>,
  event: LoggedEvent,
  { attempt, at }: { readonly attempt: number; readonly at: Date },
  { sender, box, log }: Pick<TurnParts, 'sender' | 'box' | 'log'>,
): Promise<Sent> {
  const body = JSON.stringify(event);
  let headers: Record<string, string>;
  try {
    const signing = secrets.filter(({ endsAt }) => endsAt === null || endsAt > at);
    const opened = signing.map(({ sealed }) => box.open(sealed, _id));
    headers = signatureHeaders({ id: event.id, atMs: at.getTime(), body }, opened);
  } catch (error) {
    log.error({ error, webhook: _id }, 'The secret of a webhook cannot be read');
    const words = 'The service cannot read the secret of the webhook. Its operator can find the reason in the log.';
    return { status: null, error: words, answer: null, durationMs: 0, wishMs: undefined };
  }
  // Not where it goes to: an address may hold a secret.
  const span = tracing?.begin('client', 'POST webhook', {
    'http.request.method': 'POST',
    'worktrack.organization.id': organizationId,
  });
  const sent = await sender.post(url, { ...headers, 'webhook-attempt': `${attempt}` }, body);
  attempted(sent, span);
  return sent;
}
