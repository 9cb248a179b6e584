import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelModel } from 'amqplib';
import { RecoveringChannel } from '../channel.ts';
import { nowMs } from '../clock.ts';
import type { Broker } from '../connection.ts';
import { MAX_BATCH_BYTES, MAX_BATCH_ITEMS } from '../message/batch.ts';
import { replyMessage } from '../message/envelope.ts';
import { encodeFrame } from '../message/frame.ts';
import { lookAtQueue } from '../queues.ts';
import { oncePerTick } from '../tick.ts';
import type { RpcObserver } from '../types.ts';

/**
 * What was written to a connection just before it broke may be lost, while its acknowledgement went over the other connection: nobody would answer that call.
 * So replies are kept for at least this long, or until there are this many bytes of them, and sent again over the next channel.
 */
const KEPT_MS = 500;
const KEPT_BYTES = 1024 * 1024;

interface Sent {
  readonly sinceMs: number;
  bytes: number;
  readonly messages: [address: string, items: readonly string[]][];
}

/**
 * Collects the replies of one tick by receiving client. `afterSent` hooks run once the replies submitted before
 * them are published: only then is a message acknowledged. While the broker is unavailable, blocks or does not read, replies wait here, and with
 * them the acknowledgements, so that the prefetch window bounds how much can accumulate.
 */
export class ReplySender {
  readonly #broker: Broker;
  readonly #observer: RpcObserver;
  readonly #channel: RecoveringChannel;
  readonly #waiting = new Map<string, string[]>();
  #sentHooks: (() => void)[] = [];
  #sent = nothingSent();
  #sentBefore = nothingSent();
  readonly #scheduleFlush = oncePerTick(
    () => this.#flush(),
    () => this.#isLast,
  );
  #model: ChannelModel | undefined;
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
      setup: async (_channel, model) => {
        this.#model = model;
      },
      opened: resume,
      lost: () => this.#sendAgain(),
      drained: resume,
      unblocked: resume,
    });
  }

  get ready(): Promise<void> {
    return this.#channel.ready;
  }

  /**
   * @param item as created by replyItem
   * @param isLast no other call is in progress, so no other reply can join this one
   */
  add(address: string, item: string, isLast: boolean): void {
    this.#isLast = isLast;
    this.#waitingFor(address).push(item);
    this.#scheduleFlush();
  }

  /** Whether the channel of a reply address is still open. Assumed to be if the broker cannot say. */
  async isListening(address: string): Promise<boolean> {
    if (!this.#model) return true;
    return (await lookAtQueue(this.#model, address).catch(() => undefined)) !== 'absent';
  }

  afterSent(hook: () => void): void {
    this.#sentHooks.push(hook);
    this.#scheduleFlush();
  }

  /** Waits until everything is published, at most `timeoutMs`, and closes the channel. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#waiting.size > 0 || this.#sentHooks.length > 0) {
      const empty = new Promise<void>((resolve) => (this.#whenEmpty = resolve));
      await Promise.race([empty, sleep(timeoutMs, undefined, { ref: false })]);
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
      // The channel died. What is waiting here goes out over the next one; a client that gets a reply twice uses the first.
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
        this.#publish(channel, address, items.slice(start, index), bytes);
        start = index;
        bytes = 0;
      }
      bytes += itemBytes;
    }
    this.#publish(channel, address, start === 0 ? items : items.slice(start), bytes);
  }

  #publish(channel: Channel, address: string, items: readonly string[], bytes: number): void {
    if (nowMs() - this.#sent.sinceMs > KEPT_MS || this.#sent.bytes > KEPT_BYTES) {
      this.#sentBefore = this.#sent;
      this.#sent = nothingSent();
    }
    this.#sent.messages.push([address, items]);
    this.#sent.bytes += bytes;
    if (!channel.publish('', address, encodeFrame(replyMessage(items)))) this.#full = true;
    this.#observer.batched('reply', items.length);
  }

  #waitingFor(address: string): string[] {
    const items = this.#waiting.get(address) ?? [];
    this.#waiting.set(address, items);
    return items;
  }

  #sendAgain(): void {
    for (const [address, items] of [...this.#sentBefore.messages, ...this.#sent.messages]) {
      this.#waitingFor(address).push(...items);
    }
    this.#sentBefore = nothingSent();
    this.#sent = nothingSent();
  }
}

const nothingSent = (): Sent => ({ sinceMs: nowMs(), bytes: 0, messages: [] });
