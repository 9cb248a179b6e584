import type { Message } from 'amqplib';
import { nowMs } from '../clock.ts';
import { readRequests } from '../message/envelope.ts';
import { unavailable } from './failures.ts';
import type { Destination, PendingCalls } from './pending-calls.ts';
import type { RequestSender } from './request-sender.ts';

/** A call without an answer for this long makes the client ask whether its queue is still there. */
const PROBE_AFTER_MS = 500;

/** Finds out that a service is gone: what `mandatory` publishing tells of new calls, a probe of the queue tells of those already sent. */
export class QueueWatch {
  readonly #pending: PendingCalls;
  readonly #sender: RequestSender;
  readonly #prober: NodeJS.Timeout;

  constructor(pending: PendingCalls, sender: RequestSender) {
    this.#pending = pending;
    this.#sender = sender;
    this.#prober = setInterval(() => this.#probe(), PROBE_AFTER_MS).unref();
  }

  stop(): void {
    clearInterval(this.#prober);
  }

  /** The broker knows no such queue: the service is not there, and what was sent to it before went with its queue. */
  returned(message: Message): void {
    const { sentAtMs, items } = readRequests(message.content);
    const calls = items.map(({ id }) => this.#pending.get(id)).filter((call) => call !== undefined);
    const queue = message.fields.routingKey;
    for (const call of calls) this.#pending.fail(call, unavailable(`${call.destination.service} is not running.`));
    for (const call of this.#pending.values()) {
      const { destination } = call;
      // A long operation may still be finished by a server that is stopping.
      if (destination.queue !== queue || destination.long) continue;
      if (call.sentAtMs !== undefined && call.sentAtMs <= sentAtMs) {
        this.#pending.fail(call, unavailable(`${destination.service} is not running.`));
      }
    }
  }

  #probe(): void {
    const now = nowMs();
    const silent = new Set<Destination>();
    for (const call of this.#pending.values()) {
      if (now - call.startedAtMs < PROBE_AFTER_MS) break;
      if (call.sentAtMs !== undefined && !call.destination.long) silent.add(call.destination);
    }
    for (const destination of silent) this.#sender.probe(destination);
  }
}
