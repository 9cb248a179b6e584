import { randomBytes } from 'node:crypto';
import { nowMs } from '../clock.ts';
import { encodeRequests, requestItem } from '../message/envelope.ts';
import type { RequestSigner } from '../message/signature.ts';
import { interrupted } from '../streams/streams.ts';
import type { Log, RpcObserver } from '../types.ts';
import type { Item } from './delivery.ts';
import { type Endpoint, internalFailure } from './endpoint.ts';
import type { OpenItems } from './open-items.ts';

/** How often an item is run: in its batch, then alone. The third time it goes to the dead letters. */
const MAX_ATTEMPTS = 2;

/**
 * Takes the items of a message that was delivered before: to a process that died, or whose connection broke. Perhaps it was one of them that
 * the process died of. So each goes, in a message of its own, to the queue of retries, of which each process takes one at a time. A classic
 * queue says that a message was delivered before, not how often: the item counts.
 */
export class Retries {
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #open: OpenItems;
  readonly #signer: RequestSigner;
  readonly #log: Log;
  readonly #observer: RpcObserver;
  /** Under which this process sends items to the queue of retries. */
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
      // Its bytes may have begun to go to the other process.
      this.#open.fail(item, interrupted().toValue());
      return;
    }
    const again = requestItem(request.id, remainingMs, request.attempt + 1, JSON.stringify(request.body));
    const content = encodeRequests(this.#signer, this.#identity, sentAtMs, [again]);
    if (request.attempt < MAX_ATTEMPTS) {
      delivery.forward(queues.retries, content, { replyTo });
      this.#open.close(item);
    } else {
      this.#log.error({ operation, requestId, attempts: request.attempt }, 'A call goes to the dead letters');
      this.#observer.deadLettered(queues.dead, 'redelivered');
      delivery.forward(queues.dead, content, { persistent: true });
      this.#open.fail(item, internalFailure());
    }
  }
}
