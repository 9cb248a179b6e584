import type { ChannelModel, Message } from 'amqplib';
import { nowMs } from '../clock.ts';
import { unavailable } from '../failures.ts';
import { readRequests } from '../message/envelope.ts';
import { graceMsOf, laneQueues, lookAtQueue, MAX_GENERATIONS, RESTART_GRACE_MS } from '../queues.ts';
import type { Log } from '../types.ts';
import type { Availability } from './availability.ts';
import type { Destination, PendingCall, PendingCalls } from './pending-calls.ts';
import type { RequestSender } from './request-sender.ts';

/** A call unanswered for this long makes the client check whether its queue still exists. */
const PROBE_AFTER_MS = 500;
/** Time for a service to find that its queue's node is down, connect to another node and create its queue there. */
const MOVE_MS = 5_000;
const SEND_AGAIN_MS = 100;
/** Checking a queue extends its life by its grace period, so checks are spaced apart to let it expire. */
const LOOK_EVERY_MS = RESTART_GRACE_MS + 500;
/** How often a client that has moved checks whether the service accepts calls at the first generation again. */
const RETURN_EVERY_MS = 10_000;

/**
 * Detects that a service's queue is gone, and finds where it is instead: `mandatory` publishing shows it for new calls, a probe for those
 * already sent. A queue on a node that is down silently accepts and loses messages: checking the queue detects that.
 */
export class QueueWatch {
  readonly #pending: PendingCalls;
  readonly #sender: RequestSender;
  readonly #availability: Availability;
  readonly #log: Log;
  readonly #prober: NodeJS.Timeout;
  readonly #lookedAtMs = new Map<string, number>();
  /** Queues without consumers, and since when that is known. */
  readonly #unservedSinceMs = new Map<string, number>();
  readonly #moved = new Map<Destination, number>();
  #model: ChannelModel | undefined;
  /** Until then services may still be on their way back to a broker that was gone. */
  #servicesReturnUntilMs = 0;

  constructor(pending: PendingCalls, sender: RequestSender, availability: Availability, log: Log) {
    this.#pending = pending;
    this.#sender = sender;
    this.#availability = availability;
    this.#log = log;
    this.#prober = setInterval(() => this.#probe(), PROBE_AFTER_MS).unref();
  }

  /** The connection to use for checks from now on. */
  watchBy(model: ChannelModel): void {
    if (this.#model && this.#model !== model) this.#servicesReturnUntilMs = nowMs() + MOVE_MS;
    this.#model = model;
  }

  stop(): void {
    clearInterval(this.#prober);
  }

  /** The broker knows no such queue: everything sent to it before is lost with it. */
  returned(message: Message): void {
    const { sentAtMs, items } = readRequests(message.content);
    const queue = message.fields.routingKey;
    const calls = items.map(({ id }) => this.#pending.get(id)).filter((call) => call !== undefined);
    // A probe has no items.
    const destination =
      calls[0]?.destination ?? [...this.#pending].find((call) => call.destination.queue === queue)?.destination;
    if (!destination) return;
    const others = this.#sentBefore(destination, sentAtMs).filter((call) => this.#endsWithQueue(call));
    this.#gone(destination, queue, new Set([...calls, ...others]));
  }

  /**
   * The service has found its queue unused: it ended, and is there again, between two looks at it. Whatever was sent to it before is lost, or was done by a process
   * whose answer is lost.
   */
  unused(queue: string, agoMs: number): void {
    const destination = [...this.#pending].find((call) => call.destination.queue === queue)?.destination;
    if (!destination) return;
    for (const call of this.#sentBefore(destination, nowMs() - agoMs)) this.#sender.send(call);
  }

  #probe(): void {
    const now = nowMs();
    const silent = new Set<Destination>();
    const probed = new Set<Destination>();
    for (const call of this.#pending) {
      if (now - call.startedAtMs < PROBE_AFTER_MS) break;
      if (call.sentAtMs === undefined) continue;
      silent.add(call.destination);
      if (this.#endsWithQueue(call)) probed.add(call.destination);
    }
    for (const destination of probed) this.#sender.probe(destination);
    for (const destination of silent) void this.#look(destination);
    for (const [destination, sinceMs] of this.#moved) {
      if (now - sinceMs >= RETURN_EVERY_MS) void this.#lookForFirst(destination);
    }
  }

  async #look(destination: Destination): Promise<void> {
    const { queue, generation } = destination;
    const lookedAtMs = nowMs();
    const isTooSoon = lookedAtMs - (this.#lookedAtMs.get(queue) ?? Number.NEGATIVE_INFINITY) < LOOK_EVERY_MS;
    if (!this.#model || this.#availability.isBlocked || isTooSoon) return;
    this.#lookedAtMs.set(queue, lookedAtMs);
    try {
      const seen = await lookAtQueue(this.#model, queue);
      if (seen === 'down') {
        destination.downGeneration = generation;
        destination.movesUntilMs = nowMs() + MOVE_MS;
      }
      // Several clients checking in turn keep a queue without consumers alive, so nothing must wait for its end.
      const isUnserved = typeof seen === 'object' && this.#isUnserved(destination, seen.consumers);
      const sent = this.#sentBefore(destination, lookedAtMs);
      const lost = seen === 'down' ? sent : sent.filter((call) => this.#endsWithQueue(call));
      if (seen === 'down' || ((seen === 'absent' || isUnserved) && lost.length > 0)) {
        this.#gone(destination, queue, new Set(lost));
      }
    } catch (error) {
      this.#log.debug({ error, queue }, 'The queue could not be checked');
    }
  }

  /**
   * Whether nobody will answer the call if its queue is gone. A stopping server may still finish a long operation. But nobody finishes one that was sent right
   * after the broker came back: its queues exist before the services return, and may end before that. A service whose only process was killed looks like the
   * first case from here: both queues lose their consumer, and end. So such a call has until its deadline, while calls of other lanes are refused after some 3
   * s, or 6 s if they wait.
   */
  #endsWithQueue({ destination, sentAtMs = 0 }: PendingCall): boolean {
    const returnedAtMs = this.#servicesReturnUntilMs - MOVE_MS;
    return destination.lane !== 'long' || (sentAtMs >= returnedAtMs && sentAtMs <= this.#servicesReturnUntilMs);
  }

  /** Whether the queue has had no consumer for the time that a restarting service may take. */
  #isUnserved({ queue, lane }: Destination, consumers: number): boolean {
    if (consumers > 0) {
      this.#unservedSinceMs.delete(queue);
      return false;
    }
    const sinceMs = this.#unservedSinceMs.get(queue) ?? nowMs();
    this.#unservedSinceMs.set(queue, sinceMs);
    if (nowMs() - sinceMs < graceMsOf(lane)) return false;
    this.#unservedSinceMs.delete(queue);
    return true;
  }

  #sentBefore(destination: Destination, timeMs: number): PendingCall[] {
    return [...this.#pending].filter(
      (call) => call.destination === destination && call.sentAtMs !== undefined && call.sentAtMs <= timeMs,
    );
  }

  #gone(destination: Destination, queue: string, lost: ReadonlySet<PendingCall>): void {
    if (queue === destination.queue) this.#moveOn(destination);
    if (destination.misses < MAX_GENERATIONS) {
      for (const call of lost) this.#sender.send(call);
    } else if (nowMs() < Math.max(destination.movesUntilMs, this.#servicesReturnUntilMs)) {
      // No queue accepts them yet.
      setTimeout(() => {
        for (const call of lost) this.#sender.send(call);
      }, SEND_AGAIN_MS).unref();
      destination.misses = 0;
    } else {
      destination.misses = 0;
      for (const call of lost) this.#pending.fail(call, unavailable(`${destination.service} is not running.`));
    }
  }

  #moveOn(destination: Destination): void {
    destination.misses++;
    const next = (generation: number) => (generation % MAX_GENERATIONS) + 1;
    const isDown = nowMs() < destination.movesUntilMs && next(destination.generation) === destination.downGeneration;
    this.#use(destination, isDown ? next(destination.downGeneration ?? 1) : next(destination.generation));
  }

  async #lookForFirst(destination: Destination): Promise<void> {
    this.#moved.set(destination, nowMs());
    if (!this.#model) return;
    const seen = await lookAtQueue(this.#model, queueOf(destination, 1)).catch(() => 'absent' as const);
    if (typeof seen === 'object' && seen.consumers > 0) this.#use(destination, 1);
  }

  #use(destination: Destination, generation: number): void {
    destination.generation = generation;
    destination.queue = queueOf(destination, generation);
    if (generation === 1) this.#moved.delete(destination);
    else this.#moved.set(destination, nowMs());
  }
}

const queueOf = ({ service, lane }: Destination, generation: number) => laneQueues(service, lane, generation).requests;
