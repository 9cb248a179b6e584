import { randomBytes } from 'node:crypto';
import { nowMs } from '../clock.ts';
import { callText, encodeRequests } from '../message/envelope.ts';
import type { RequestSigner } from '../message/signature.ts';
import { interrupted } from '../streams/streams.ts';
import type { Log, RpcObserver } from '../types.ts';
import type { Item } from './delivery.ts';
import { type Endpoint, internalFailure } from './endpoint.ts';
import type { OpenItems } from './open-items.ts';

/** How often an item is run: in its batch, then alone. The third time it goes to the dead letters. */
const MAX_ATTEMPTS = 2;

/**
 * Handles the items of a message that was delivered before, to a process that died or whose connection broke. One of them may have
 * crashed that process. So each goes, in its own message, to the retry queue, from which each process takes one at a time. A classic
 * queue says that a message was redelivered, not how often: the item carries the count.
 */
export class Retries {
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #open: OpenItems;
  readonly #signer: RequestSigner;
  readonly #log: Log;
  readonly #observer: RpcObserver;
  /** The name under which this process sends items to the retry queue. */
  readonly #identity = randomBytes(9).toString('base64url');

  constructor(options: {
    readonly endpoints: ReadonlyMap<string, Endpoint>;
    readonly open: OpenItems;
    readonly signer: RequestSigner;
    readonly log: Log;
    readonly observer: RpcObserver;
  }) {
    this.#endpoints = options.endpoints;
    this.#open = options.open;
    this.#signer = options.signer;
    this.#log = options.log;
    this.#observer = options.observer;
  }

  retry(item: Item): void {
    const { request, delivery } = item;
    const { queues, replyTo } = delivery;
    const sentAtMs = nowMs();
    const remainingMs = item.deadlineAtMs - sentAtMs;
    if (remainingMs <= 0) {
      this.#open.expire(item);
      return;
    }
    const [operation, requestId] = request.body;
    if (this.#endpoints.get(operation)?.operation.bytes) {
      // Its bytes may have started to go to the other process.
      this.#open.fail(item, interrupted().toValue());
      return;
    }
    const { id, caller, body, attempt } = request;
    const again = (secret: string | undefined) =>
      encodeRequests(this.#signer, this.#identity, sentAtMs, [
        { id, remainingMs, attempt: attempt + 1, call: callText(caller, secret, ...body) },
      ]);
    if (attempt < MAX_ATTEMPTS && queues.retries !== undefined) {
      delivery.forward(queues.retries, again(request.secret), { replyTo });
      this.#open.close(item);
    } else {
      this.#log.error({ operation, requestId, attempts: attempt }, 'A call goes to the dead letters');
      this.#observer.deadLettered(queues.dead, 'redelivered');
      // Kept until somebody looks at it, and nobody sends it again: what was sealed with its secret stays so.
      delivery.forward(queues.dead, again(undefined), { persistent: true });
      this.#open.fail(item, internalFailure());
    }
  }
}
