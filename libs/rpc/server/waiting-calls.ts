import { DEFAULT_DEADLINE_MS } from '@worktrack/contracts/operation';
import { DeadlineTimer, nowMs, type WaitEstimator } from '../clock.ts';
import type { RequestMessage } from '../message/envelope.ts';
import { CallRunner } from './call-runner.ts';
import type { Delivery, Item } from './delivery.ts';
import type { Endpoint } from './endpoint.ts';
import { LaneConsumer, type LaneConsumerOptions } from './lane-consumer.ts';
import { OpenItems } from './open-items.ts';
import type { ReplySender } from './reply-sender.ts';

/** From here on, a better estimate of a message's time in transit matters. */
const CLOCK_STEP_MS = 1;

interface WaitingItem extends Item {
  readonly client: string;
  /** As if it had spent no time in transit. */
  readonly arrivedMs: { readonly offset: number; readonly deadlineAt: number };
  /** Time reserved for the reply once its own time is up. */
  readonly answerMs: number;
  readonly timeUp: AbortController;
  readonly gone: AbortController;
}

/**
 * The calls of the lane `waiting`. The broker delivers them all to one replica, in order of arrival. They stay unacknowledged until they are answered, so that
 * they go to the next replica, in the same order, if this one dies. Deliveries are not counted, unlike in retries.ts: a replica's death says nothing about
 * calls that were only waiting there. A call that kills every process that runs it does so until its time is up, a minute at most.
 */
export class WaitingCalls {
  readonly ready: Promise<void>;

  readonly #lane: LaneConsumer;
  readonly #open: OpenItems;
  readonly #runner: CallRunner;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #replies: ReplySender;
  readonly #waits: WaitEstimator;
  /** By the ids that their callers gave them. */
  readonly #items = new Map<string, WaitingItem>();
  readonly #ends = new DeadlineTimer((now) => this.#endThoseDue(now));

  constructor({
    consumes,
    endpoints,
    replies,
    waits,
  }: {
    readonly consumes: Omit<LaneConsumerOptions, 'lane' | 'prefetch' | 'received' | 'lost'>;
    readonly endpoints: ReadonlyMap<string, Endpoint>;
    readonly replies: ReplySender;
    readonly waits: WaitEstimator;
  }) {
    const { service, log, observer } = consumes;
    this.#endpoints = endpoints;
    this.#replies = replies;
    this.#waits = waits;
    this.#open = new OpenItems(replies, observer, false);
    this.#runner = new CallRunner({
      service,
      endpoints,
      open: this.#open,
      streams: undefined,
      log,
      tracer: observer.tracer,
    });
    this.#lane = new LaneConsumer({
      ...consumes,
      lane: 'waiting',
      prefetch: 0,
      received: (request, delivery) => this.#received(request, delivery),
      lost: (by) => this.#lost(by),
    });
    this.ready = this.#lane.ready;
  }

  /** Hands the calls over to the next replica. */
  async stop(): Promise<void> {
    await this.#lane.cancel();
    this.#ends.stop();
    this.#open.stop();
  }

  #received({ client, sentAtMs, items, abandoned }: RequestMessage, delivery: Delivery): void {
    const receivedAtMs = nowMs();
    const offsetBefore = this.#waits.offsetMs(client);
    this.#waits.waitedMs(client, sentAtMs, receivedAtMs);
    const offsetMs = this.#waits.offsetMs(client) as number;
    if (offsetBefore !== undefined && offsetMs < offsetBefore - CLOCK_STEP_MS) this.#shortenThoseOf(client, offsetMs);
    this.#open.begin(delivery);
    const started = items.map((request): WaitingItem => {
      const name = nameOf(delivery.replyTo, request.id);
      const timeUp = new AbortController();
      const gone = new AbortController();
      const arrivedMs = { offset: receivedAtMs - sentAtMs, deadlineAt: receivedAtMs + request.remainingMs };
      const item: WaitingItem = {
        request,
        delivery,
        client,
        arrivedMs,
        startedAtMs: receivedAtMs,
        deadlineAtMs: arrivedMs.deadlineAt - (arrivedMs.offset - offsetMs),
        answerMs: this.#endpoints.get(request.body[0])?.operation.deadlineMs ?? DEFAULT_DEADLINE_MS,
        id: 0,
        isClosed: false,
        trace: undefined,
        timeUp,
        gone,
        waiting: {
          timeUp: timeUp.signal,
          gone: gone.signal,
          isCallerThere: () => this.#replies.isListening(delivery.replyTo),
        },
        closed: () => {
          if (this.#items.get(name) === item) this.#items.delete(name);
        },
      };
      this.#items.set(name, item);
      this.#ends.watch(endOf(item));
      return item;
    });
    this.#runner.run(started);
    for (const id of abandoned) this.#drop(this.#items.get(nameOf(delivery.replyTo, id)));
  }

  /**
   * A message may have waited in the queue until another replica died. If it is the first that this replica gets from its client, it is assumed to have arrived
   * at once. The client's next message, half a second later, reveals how long it really waited.
   */
  #shortenThoseOf(client: string, offsetMs: number): void {
    for (const item of this.#items.values()) {
      if (item.client !== client) continue;
      const { offset, deadlineAt } = item.arrivedMs;
      item.deadlineAtMs = Math.min(item.deadlineAtMs, deadlineAt - (offset - offsetMs));
      this.#ends.watch(endOf(item));
    }
  }

  #lost(by: object): void {
    for (const item of [...this.#items.values()]) if (item.delivery.by === by) this.#drop(item);
  }

  #drop(item: WaitingItem | undefined): void {
    if (!item) return;
    this.#open.close(item);
    item.gone.abort();
  }

  #endThoseDue(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const item of this.#items.values()) {
      if (item.timeUp.signal.aborted) continue;
      const end = endOf(item);
      if (end <= now) item.timeUp.abort();
      else if (end < next) next = end;
    }
    return next;
  }
}

const nameOf = (replyTo: string, id: number) => `${replyTo} ${id}`;
const endOf = ({ deadlineAtMs, answerMs }: WaitingItem) => deadlineAtMs - answerMs;
