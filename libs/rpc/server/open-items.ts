import type { ErrorValue } from '@worktrack/contracts/errors';
import { DeadlineTimer, nowMs } from '../clock.ts';
import { deadlineExceeded } from '../failures.ts';
import { failedItem, ReplyStatus, replyItem } from '../message/envelope.ts';
import { OpenSet } from '../open-set.ts';
import type { Outcome, RpcObserver } from '../types.ts';
import type { Delivery, Item } from './delivery.ts';
import type { ReplySender } from './reply-sender.ts';

/** The unanswered items. Each is answered once; a message is acknowledged with the last of its items. */
export class OpenItems {
  readonly #replies: ReplySender;
  readonly #observer: RpcObserver;
  readonly #tellsWork: boolean;
  readonly #running = new OpenSet<Item>();
  readonly #deadlines = new DeadlineTimer((now) => this.#sweep(now));
  #openDeliveries = 0;
  #whenIdle: (() => void) | undefined;

  /** @param tellsWork whether the process works on these, rather than waits until there is something to do */
  constructor(replies: ReplySender, observer: RpcObserver, tellsWork: boolean) {
    this.#replies = replies;
    this.#observer = observer;
    this.#tellsWork = tellsWork;
  }

  /** For an empty message, which only probes whether the queue exists, this is all. */
  begin(delivery: Delivery): void {
    this.#openDeliveries++;
    if (delivery.openItems === 0) this.#finish(delivery);
  }

  /** From now on its deadline is monitored. */
  run(item: Item): void {
    this.#running.add(item);
    if (this.#tellsWork) this.#observer.working(this.#running.size);
    this.#deadlines.watch(item.deadlineAtMs);
  }

  succeed(item: Item, payload: string, replayed: boolean): void {
    const status = replayed ? ReplyStatus.replayed : ReplyStatus.ok;
    this.#answer(item, replyItem(item.request.id, status, payload), 'ok');
  }

  fail(item: Item, error: ErrorValue): void {
    this.#answer(item, failedItem(item.request.id, error), error.code);
  }

  /** Dropped without running. The client has given up by its own clock; if not, this tells it that our estimate was wrong. */
  expire(item: Item): void {
    this.#answer(item, replyItem(item.request.id, ReplyStatus.expired, 'null'), 'DEADLINE_EXCEEDED');
  }

  /** Without an answer from here: somebody else gives it. */
  close(item: Item): void {
    if (item.isClosed) return;
    item.isClosed = true;
    item.closed?.();
    this.#running.delete(item);
    if (this.#tellsWork) this.#observer.working(this.#running.size);
    item.delivery.openItems--;
    if (item.delivery.openItems === 0) this.#finish(item.delivery);
  }

  /** Resolves once all messages are answered. */
  async idle(): Promise<void> {
    if (this.#openDeliveries > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  stop(): void {
    this.#deadlines.stop();
  }

  #answer(item: Item, reply: string, outcome: Outcome): void {
    // For a handler that ends after its deadline, the reply has already been sent.
    if (item.isClosed) return;
    this.#observer.handled(item.request.body[0], outcome, nowMs() - item.startedAtMs, item.trace);
    this.#running.delete(item);
    this.#replies.add(item.delivery.replyTo, reply, this.#running.size === 0);
    this.close(item);
  }

  #finish(delivery: Delivery): void {
    this.#replies.afterSent(() => {
      delivery.acknowledge();
      this.#openDeliveries--;
      if (this.#openDeliveries === 0) this.#whenIdle?.();
    });
  }

  /** Ends the items whose callers have gone, so that a hanging handler does not occupy a place in the prefetch window forever. */
  #sweep(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const item of this.#running) {
      if (item.deadlineAtMs <= now) {
        // In the words of the caller, whichever of the two looks first.
        this.fail(item, deadlineExceeded(item.request.body[0]).toValue());
      } else if (item.deadlineAtMs < next) next = item.deadlineAtMs;
    }
    return next;
  }
}
