import { randomBytes } from 'node:crypto';
import type { Channel } from 'amqplib';
import type { RecoveringChannel } from '../channel.ts';
import { nowMs } from '../clock.ts';
import { unavailable } from '../failures.ts';
import { MAX_BATCH_BYTES, MAX_BATCH_ITEMS } from '../message/batch.ts';
import { DIRECT_REPLY_TO } from '../message/direct-reply.ts';
import { encodeRequests, type OutgoingItem } from '../message/envelope.ts';
import { oncePerTick } from '../tick.ts';
import type { Log, RpcObserver } from '../types.ts';
import type { Availability } from './availability.ts';
import type { Destination, PendingCall, PendingCalls } from './pending-calls.ts';

const PUBLISH_OPTIONS = { mandatory: true, replyTo: DIRECT_REPLY_TO };

/**
 * Publishes the calls of one turn of the event loop together, by destination. A lone call, with no other unanswered, leaves
 * once its caller's turn is over, as in Nagle's algorithm: there is nothing to wait for.
 */
export class RequestSender {
  readonly #channel: RecoveringChannel;
  readonly #pending: PendingCalls;
  readonly #availability: Availability;
  readonly #log: Log;
  readonly #observer: RpcObserver;
  /** The calls waiting for the end of this turn, or for a channel. */
  readonly #waiting = new Map<Destination, PendingCall[]>();
  readonly #scheduleFlush = oncePerTick(
    () => this.flush(),
    () => this.#pending.underWay === 1,
  );
  #identity = newIdentity();

  constructor(options: {
    readonly channel: RecoveringChannel;
    readonly pending: PendingCalls;
    readonly availability: Availability;
    readonly log: Log;
    readonly observer: RpcObserver;
  }) {
    this.#channel = options.channel;
    this.#pending = options.pending;
    this.#availability = options.availability;
    this.#log = options.log;
    this.#observer = options.observer;
  }

  send(call: PendingCall): void {
    this.#waitingFor(call.destination).push(call);
    this.#scheduleFlush();
  }

  /** With a new name, the server estimates afresh how far its clock is from ours. */
  sendUnderNewIdentity(call: PendingCall): void {
    this.#identity = newIdentity();
    this.send(call);
  }

  /** Replies come on the publishing channel, so calls sent on the last one get none. Writes are idempotent by their key. */
  resendAll(): void {
    this.#waiting.clear();
    for (const call of this.#pending) this.#waitingFor(call.destination).push(call);
  }

  /** Fails the calls that were never sent. */
  shedUnsent(reason: string): void {
    for (const [destination, calls] of this.#waiting) {
      for (const call of calls) {
        if (call.sentAtMs === undefined && this.#isOpen(call)) this.#pending.fail(call, unavailable(reason));
      }
      this.#waiting.set(
        destination,
        calls.filter((call) => this.#isOpen(call)),
      );
    }
  }

  flush(): void {
    const channel = this.#channel.current;
    if (!channel) return;
    if (this.#availability.isBlocked) {
      this.shedUnsent('The broker takes no messages at the moment.');
      return;
    }
    for (const [destination, calls] of this.#waiting) {
      if (this.#availability.isFull) return;
      if (calls.length > 0) this.#waiting.set(destination, this.#publishAll(channel, destination, calls));
    }
    this.#observer.pending(this.#pending.size);
  }

  /** An empty message: the service does not reply, and the broker returns it if the queue is gone. */
  probe(destination: Destination): void {
    const channel = this.#channel.current;
    if (channel && !this.#availability.isBlocked) this.#publish(channel, destination, [], nowMs());
  }

  /** The service need not answer it any more. */
  abandon(call: PendingCall): void {
    const channel = this.#channel.current;
    if (!channel || call.sentAtMs === undefined || this.#availability.isBlocked) return;
    this.#publish(channel, call.destination, [], nowMs(), [call.id]);
  }

  #waitingFor(destination: Destination): PendingCall[] {
    let calls = this.#waiting.get(destination);
    if (!calls) {
      calls = [];
      this.#waiting.set(destination, calls);
    }
    return calls;
  }

  #isOpen(call: PendingCall): boolean {
    return this.#pending.get(call.id) === call;
  }

  /** @returns what remains when the write buffer is full */
  #publishAll(channel: Channel, destination: Destination, calls: PendingCall[]): PendingCall[] {
    // Calls in the other lanes are answered one by one, far apart.
    const maxItems = destination.lane === 'normal' ? MAX_BATCH_ITEMS : 1;
    const now = nowMs();
    let items: OutgoingItem[] = [];
    let bytes = 0;
    for (const [index, call] of calls.entries()) {
      const remainingMs = call.deadlineAtMs - now;
      if (remainingMs <= 0 || !this.#isOpen(call)) continue;
      if (items.length > 0 && (items.length === maxItems || bytes + call.bytes > MAX_BATCH_BYTES)) {
        this.#publish(channel, destination, items, now);
        if (this.#availability.isFull) return calls.slice(index);
        items = [];
        bytes = 0;
      }
      items.push({ id: call.id, remainingMs, attempt: 1, call: call.text });
      bytes += call.bytes;
      call.sentAtMs = now;
    }
    if (items.length > 0) this.#publish(channel, destination, items, now);
    return [];
  }

  #publish(
    channel: Channel,
    { queue, signer }: Destination,
    items: readonly OutgoingItem[],
    now: number,
    abandoned: readonly number[] = [],
  ): void {
    this.#observer.batched('request', items.length);
    const content = encodeRequests(signer, this.#identity, now, items, abandoned);
    try {
      if (!channel.publish('', queue, content, PUBLISH_OPTIONS)) this.#availability.filled();
    } catch (error) {
      // The channel died; we are notified of that next, and these calls are sent again.
      this.#log.debug({ error }, 'Published on a closed channel');
    }
  }
}

function newIdentity(): string {
  return randomBytes(9).toString('base64url');
}
