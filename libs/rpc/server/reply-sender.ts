import type { Channel } from 'amqplib';
import { RecoveringChannel } from '../channel.ts';
import type { Broker } from '../connection.ts';
import { MAX_BATCH_BYTES, MAX_BATCH_ITEMS } from '../message/batch.ts';
import { replyMessage } from '../message/envelope.ts';
import { encodeFrame } from '../message/frame.ts';
import { oncePerTick } from '../tick.ts';
import type { RpcObserver } from '../types.ts';

/**
 * Collects the replies of one tick by the client that they go to. Hooks of `afterSent` run once the replies that were handed in before
 * them are published: a message is acknowledged only then. While the broker is unavailable, blocks or does not read, replies wait here, and with
 * them the acknowledgements, so that the prefetch window bounds what can gather.
 */
export class ReplySender {
  readonly #broker: Broker;
  readonly #observer: RpcObserver;
  readonly #channel: RecoveringChannel;
  readonly #waiting = new Map<string, string[]>();
  #sentHooks: (() => void)[] = [];
  readonly #scheduleFlush = oncePerTick(
    () => this.#flush(),
    () => this.#isLast,
  );
  #isLast = false;
  #full = false;
  #whenEmpty: (() => void) | undefined;

  constructor(broker: Broker, observer: RpcObserver) {
    this.#broker = broker;
    this.#observer = observer;
    const resume = () => {
      this.#full = false;
      this.#scheduleFlush();
    };
    this.#channel = new RecoveringChannel(broker.publishing, {
      name: 'rpc replies',
      setup: async () => {},
      opened: resume,
      drained: resume,
      unblocked: resume,
    });
  }

  get ready(): Promise<void> {
    return this.#channel.ready;
  }

  /**
   * @param item as replyItem makes it
   * @param isLast no other call is being worked on, so no other answer can join this one
   */
  add(address: string, item: string, isLast: boolean): void {
    this.#isLast = isLast;
    const items = this.#waiting.get(address);
    if (items) items.push(item);
    else this.#waiting.set(address, [item]);
    this.#scheduleFlush();
  }

  afterSent(hook: () => void): void {
    this.#sentHooks.push(hook);
    this.#scheduleFlush();
  }

  /** Waits until all is published, at most for `timeoutMs`, and closes the channel. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#waiting.size > 0 || this.#sentHooks.length > 0) {
      const empty = Promise.withResolvers<void>();
      this.#whenEmpty = empty.resolve;
      const timer = setTimeout(empty.resolve, timeoutMs);
      await empty.promise;
      clearTimeout(timer);
    }
    await this.#channel.close();
  }

  #flush(): void {
    const channel = this.#channel.current;
    if (!channel || this.#full || this.#broker.publishing.status !== 'open') return;
    try {
      for (const [address, items] of this.#waiting) {
        this.#publishAll(channel, address, items);
        this.#waiting.delete(address);
      }
    } catch {
      // The channel died under us. What waits here goes out by the next one; a client that gets a reply twice takes the first.
      return;
    }
    const hooks = this.#sentHooks;
    this.#sentHooks = [];
    for (const hook of hooks) hook();
    this.#whenEmpty?.();
  }

  #publishAll(channel: Channel, address: string, items: readonly string[]): void {
    let start = 0;
    let bytes = 0;
    for (let index = 0; index < items.length; index++) {
      const itemBytes = Buffer.byteLength(items[index] as string);
      const count = index - start;
      if (count === MAX_BATCH_ITEMS || (count > 0 && bytes + itemBytes > MAX_BATCH_BYTES)) {
        this.#publish(channel, address, items.slice(start, index));
        start = index;
        bytes = 0;
      }
      bytes += itemBytes;
    }
    this.#publish(channel, address, start === 0 ? items : items.slice(start));
  }

  #publish(channel: Channel, address: string, items: readonly string[]): void {
    if (!channel.publish('', address, encodeFrame(replyMessage(items)))) this.#full = true;
    this.#observer.batched('reply', items.length);
  }
}
