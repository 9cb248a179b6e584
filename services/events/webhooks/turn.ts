import type { LoggedEvent } from '@worktrack/contracts/events/event';
import type { Log } from '@worktrack/rpc/types';
import type { Scope } from '@worktrack/runtime/database/scope';
import { at } from '../log/log.repository.ts';
import {
  type Attempt,
  type Due,
  freshDeliveries,
  heldSubjects,
  isDelivered,
  nextRetries,
  type Outcome,
  recordAttempts,
} from './deliveries.repository.ts';
import { disableWebhook } from './disable.ts';
import { attempted, deliveries } from './metrics.ts';
import { FAILING_MS, HOLD_MS, pauseMs } from './schedule.ts';
import type { SecretBox } from './secrets.ts';
import type { Sender, Sent } from './sending/send.ts';
import { signatureHeaders } from './sending/signature.ts';
import type { WebhookDocument } from './webhooks.model.ts';
import { type TurnEnd, webhookById } from './webhooks.repository.ts';

/** After this, it is the others' turn. Requests in progress are waited for. */
const TURN_MS = 5_000;
/** Concurrent requests to a healthy endpoint. */
const REQUESTS_AT_ONCE = 8;
/** For a failing endpoint: time between two attempts of anything to be sent to it. */
const UNWELL_PAUSE_MS = 1_000;
const BATCH = 100;
const MAX_QUEUED = 200;
/** How soon a change to a webhook, or its deletion, takes effect. */
const FRESH_MS = 1_000;
const GONE = 410;

export interface TurnParts {
  readonly sender: Sender;
  readonly box: SecretBox;
  readonly log: Log;
  /** Whether this process may still send to the webhook. */
  holds(): boolean;
  readonly stopping: AbortSignal;
}

type Loaded = Due & { readonly event: LoggedEvent | undefined };

/**
 * Sends what is due to one endpoint, for a while: to a healthy one, several requests in parallel, those about one subject one after the other; to a
 * failing one, a single request, which shows whether it is healthy again.
 */
export class Turn {
  readonly #scope: Scope;
  readonly #parts: TurnParts;
  readonly #isProbe: boolean;
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
  readonly #known = new Set<string>();
  #held: Map<string, number> = new Map();
  #hasMore = true;
  #filling: Promise<void> | undefined;
  readonly #attempts: Attempt[] = [];
  #recording: Promise<void> | undefined;

  constructor(webhook: WebhookDocument, parts: TurnParts) {
    this.#scope = { caller: { organizationId: webhook.organizationId } };
    this.#parts = parts;
    this.#webhook = webhook;
    this.#readAt = performance.now();
    this.#failingSince = webhook.failingSince;
    this.#unwell = webhook.unwell;
    this.#isProbe = webhook.unwell;
  }

  async run(): Promise<TurnEnd> {
    this.#held = await heldSubjects(this.#scope, this.#webhook._id, Date.now());
    const lanes = this.#isProbe ? 1 : REQUESTS_AT_ONCE;
    // All of them: nothing may be in progress once it is somebody else's turn.
    const ended = await Promise.allSettled(Array.from({ length: lanes }, () => this.#sendAll()));
    await this.#record();
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
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
        return delivery;
      }
      if (!this.#hasMore || this.#queue.length >= MAX_QUEUED) return undefined;
      this.#filling ??= this.#fill().finally(() => {
        this.#filling = undefined;
      });
      await this.#filling;
    }
    return undefined;
  }

  async #fill(): Promise<void> {
    const now = Date.now();
    const { _id } = this.#webhook;
    // The outcomes must be recorded before reading what is to be retried.
    await this.#record();
    // Taken before anything is read: what is recorded meanwhile may be read as if it were not.
    const known = new Set(this.#known);
    const webhook = await webhookById(this.#scope, _id);
    // Read before the deliveries: those up to here are all there, whereas one at a later place may be visible before one at an earlier.
    const complete = webhook?.cursor ?? 0;
    const retries = (await nextRetries(this.#scope, _id, BATCH)).filter(({ dueAtMs }) => dueAtMs <= now);
    const notAbout = [...this.#held].filter(([, untilMs]) => untilMs > now).map(([about]) => about);
    // From the first one each time: what waited for its subject meanwhile comes before what was queued later.
    const fresh = await freshDeliveries(this.#scope, _id, { notAbout, limit: BATCH + known.size });
    const found = [...retries, ...fresh.filter(({ seq }) => seq <= complete)].filter(
      (delivery) => !known.has(delivery._id),
    );
    this.#hasMore = found.length > 0;
    const events = await at(
      this.#scope.caller.organizationId,
      found.map(({ seq }) => seq),
    );
    for (const delivery of found) {
      this.#known.add(delivery._id);
      this.#queue.push({ ...delivery, event: events.get(delivery.seq) });
    }
    // Retries before new ones; within a subject, in log order.
    this.#queue.sort((a, b) => a.seq - b.seq);
  }

  async #attempt(delivery: Loaded): Promise<void> {
    const { event } = delivery;
    if (!event) {
      const error = 'The event is no longer in the log.';
      this.#keep({ delivery, outcome: { status: null, error, answer: null, durationMs: null, at: new Date() } });
      return;
    }
    if (!(await this.#isStillOn()) || !this.#parts.holds()) {
      this.#isOver = true;
      return;
    }
    const at = new Date();
    const sent = await deliver(this.#webhook, event, { attempt: delivery.attempts + 1, at }, this.#parts);
    const { wishMs, ...outcome } = { ...sent, at };
    attempted(outcome);
    if (isDelivered(outcome)) {
      this.#failingSince = null;
      this.#unwell = false;
      if (this.#held.get(delivery.about) === delivery.holdsUntilMs) this.#held.delete(delivery.about);
      // Once a probe has shown that it is healthy, its next turn is an ordinary one.
      if (this.#isProbe) this.#isOver = true;
      this.#keep({ delivery, outcome });
    } else {
      await this.#failed(delivery, outcome, wishMs);
    }
  }

  async #failed(delivery: Loaded, outcome: Outcome, wishMs: number | undefined): Promise<void> {
    this.#isOver = true;
    this.#unwell = true;
    this.#failingSince ??= outcome.at;
    const nowMs = Date.now();
    this.#notBefore = new Date(nowMs + Math.max(UNWELL_PAUSE_MS, Math.min(wishMs ?? 0, HOLD_MS)));
    const pause = pauseMs(delivery.attempts + 1 - delivery.attemptsBefore, wishMs);
    const retryAtMs = pause === undefined ? undefined : nowMs + pause;
    // From its first failure on, whatever becomes of the next attempts.
    const holdsUntilMs = delivery.holdsUntilMs ?? nowMs + HOLD_MS;
    if (retryAtMs !== undefined && holdsUntilMs > nowMs) this.#held.set(delivery.about, holdsUntilMs);
    this.#keep({ delivery, outcome, retryAtMs, holdsUntilMs });
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
    if (performance.now() - this.#readAt > FRESH_MS) {
      const readAt = performance.now();
      const webhook = await webhookById(this.#scope, this.#webhook._id);
      if (!webhook?.enabled) return false;
      this.#webhook = webhook;
      this.#readAt = readAt;
    }
    return !this.#isOver;
  }

  #keep(attempt: Attempt): void {
    this.#attempts.push(attempt);
    if (isDelivered(attempt.outcome)) deliveries.inc({ state: 'delivered' });
    else if (attempt.retryAtMs === undefined) deliveries.inc({ state: 'failed' });
    // What arrives during the write is written next, together.
    void this.#record().catch(() => {
      // Thrown again where the turn ends: nothing may continue as if it were recorded.
      this.#isOver = true;
    });
  }

  /** Everything that has been tried so far. */
  async #record(): Promise<void> {
    while (this.#recording || this.#attempts.length > 0) {
      this.#recording ??= this.#write().finally(() => {
        this.#recording = undefined;
      });
      await this.#recording;
    }
  }

  async #write(): Promise<void> {
    const attempts = [...this.#attempts];
    if (attempts.length === 0) return;
    await recordAttempts(this.#scope, attempts);
    this.#attempts.splice(0, attempts.length);
    for (const { delivery } of attempts) this.#known.delete(delivery._id);
  }

  /** When there will be something to send. */
  async #dueAt(): Promise<Date | null> {
    const { _id } = this.#webhook;
    const nowMs = Date.now();
    const [retry] = await nextRetries(this.#scope, _id, 1);
    const held = [...this.#held].filter(([, untilMs]) => untilMs > nowMs);
    const notAbout = held.map(([about]) => about);
    const [free] = await freshDeliveries(this.#scope, _id, { notAbout, limit: 1 });
    const [waiting] =
      free || held.length === 0 ? [free] : await freshDeliveries(this.#scope, _id, { notAbout: [], limit: 1 });
    const times = [
      ...(retry ? [retry.dueAtMs] : []),
      ...(free ? [nowMs] : []),
      ...(waiting ? held.map(([, untilMs]) => untilMs) : []),
    ];
    if (times.length === 0) return null;
    return new Date(Math.max(Math.min(...times), this.#notBefore?.getTime() ?? 0));
  }
}

/** One request with one event. Never throws: a failure is an outcome too. */
export async function deliver(
  { _id, url, secrets }: Pick<WebhookDocument, '_id' | 'url' | 'secrets'>,
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
  return sender.post(url, { ...headers, 'webhook-attempt': `${attempt}` }, body);
}
