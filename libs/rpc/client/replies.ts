import { type ErrorValue, OperationError } from '@worktrack/contracts/errors';
import type { ConsumeMessage } from 'amqplib';
import { nowMs } from '../clock.ts';
import { deadlineExceeded } from '../failures.ts';
import { type LostBefore, type ReplyItem, ReplyStatus, readReplies } from '../message/envelope.ts';
import { decodeFrame } from '../message/frame.ts';
import type { Log, RpcObserver } from '../types.ts';
import type { PendingCalls } from './pending-calls.ts';
import type { QueueWatch } from './queue-watch.ts';
import type { RequestSender } from './request-sender.ts';

/** A server that drops a call as expired while it has this much time left has misjudged our clock. */
const MISJUDGED_MS = 250;

/** Delivers arriving replies to the calls waiting for them. */
export class Replies {
  readonly #pending: PendingCalls;
  readonly #sender: RequestSender;
  readonly #queueWatch: QueueWatch;
  readonly #log: Log;
  readonly #observer: RpcObserver;

  constructor(pending: PendingCalls, sender: RequestSender, queueWatch: QueueWatch, log: Log, observer: RpcObserver) {
    this.#pending = pending;
    this.#sender = sender;
    this.#queueWatch = queueWatch;
    this.#log = log;
    this.#observer = observer;
  }

  received(message: ConsumeMessage): void {
    let replies: readonly ReplyItem[];
    try {
      replies = readReplies(decodeFrame(message.content).json);
    } catch (error) {
      // Only a server that got our reply address can send here; its other replies are fine.
      this.#log.error({ error }, 'A reply could not be read');
      return;
    }
    for (const reply of replies) this.#answered(reply);
    this.#observer.pending(this.#pending.size);
  }

  #answered({ id, status, payload }: ReplyItem): void {
    if (status === ReplyStatus.lost) this.#queueWatch.unused(...(payload as LostBefore));
    const call = this.#pending.get(id);
    // Abandoned at its deadline, or already answered: calls are sent again after a broken connection.
    if (!call) return;
    call.destination.misses = 0;
    switch (status) {
      case ReplyStatus.ok:
      case ReplyStatus.replayed:
        this.#pending.succeed(call, payload, status === ReplyStatus.replayed);
        return;
      case ReplyStatus.expired:
        // One of the two hosts was suspended.
        if (call.deadlineAtMs - nowMs() > MISJUDGED_MS) this.#sender.sendUnderNewIdentity(call);
        else this.#pending.fail(call, deadlineExceeded(call.operation));
        return;
      default:
        this.#pending.fail(call, OperationError.from(payload as ErrorValue));
    }
  }
}
