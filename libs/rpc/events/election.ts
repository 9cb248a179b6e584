import type { Channel, ChannelModel, ConsumeMessage, Options } from 'amqplib';
import { RecoveringChannel } from '../channel.ts';
import type { Broker } from '../connection.ts';
import { declareQueue } from '../queues.ts';
import type { Log } from '../types.ts';

/** Below the time after which RabbitMQ closes a channel that does not acknowledge (`consumer_timeout`, 30 minutes). */
const RENEW_AFTER_MS = 10 * 60_000;
const NO_CONTENT = Buffer.alloc(0);

/** Classic, with transient messages: an election is for the processes that are connected, and each of them begins with a nudge. */
const QUEUE_OPTIONS: Options.AssertQueue = {
  durable: true,
  // The nudges that lie in it say the same: one is enough.
  maxLength: 1,
  arguments: { 'x-queue-type': 'classic', 'x-single-active-consumer': true },
};

/**
 * One of the processes that take part is elected, by the broker: the one consumer to which a queue delivers. It keeps the last nudge
 * unacknowledged, so that the broker gives it to the next one when this one is gone, which by that knows that it is elected.
 *
 * Two may believe so for a moment (one that was frozen, or cut off), and all do while the broker cannot elect one (the node of the queue is down): it
 * saves work that need not be done twice, and excludes nobody.
 */
export class Election {
  /** Once this process can be elected. */
  readonly ready: Promise<unknown>;

  readonly #queue: string;
  readonly #elected: RecoveringChannel;
  readonly #sending: RecoveringChannel;
  readonly #renewal: NodeJS.Timeout;
  readonly #nudged: () => void;
  #held: ConsumeMessage | undefined;

  /**
   * @param queue the election's name
   * @param nudged called in the process that is elected: when it is, and when any of them asks for it
   */
  constructor(options: { readonly broker: Broker; readonly queue: string; readonly log: Log; nudged(): void }) {
    const { broker, queue, log, nudged } = options;
    this.#queue = queue;
    this.#nudged = nudged;
    const declare = (model: ChannelModel) => declareQueue(model, log, queue, QUEUE_OPTIONS);
    this.#elected = new RecoveringChannel(broker.consuming, {
      name: queue,
      setup: async (channel, model) => {
        await declare(model);
        // The one that is held, and the next.
        await channel.prefetch(2);
        await channel.consume(queue, (message) => {
          if (message) this.#received(message, channel);
          else channel.close().catch(() => {});
        });
      },
      lost: () => {
        this.#held = undefined;
      },
    });
    this.#sending = new RecoveringChannel(broker.publishing, {
      name: `${queue} nudges`,
      setup: (_, model) => declare(model),
      // Without any nudge nobody would know.
      opened: () => this.#send(),
    });
    this.ready = Promise.all([this.#elected.ready, this.#sending.ready]);
    this.#renewal = setInterval(() => this.#held && this.#send(), RENEW_AFTER_MS).unref();
  }

  get isElected(): boolean {
    return this.#held !== undefined || this.#elected.current === undefined;
  }

  /** Calls `nudged` in the process that is elected. May get lost with a connection. */
  nudge(): void {
    if (this.isElected) this.#nudged();
    else this.#send();
  }

  async close(): Promise<void> {
    clearInterval(this.#renewal);
    await this.#elected.close();
    await this.#sending.close();
  }

  #received(message: ConsumeMessage, channel: Channel): void {
    const before = this.#held;
    this.#held = message;
    if (before) channel.ack(before);
    this.#nudged();
  }

  #send(): void {
    try {
      this.#sending.current?.sendToQueue(this.#queue, NO_CONTENT);
    } catch {
      // The channel died under us; the next one begins with a nudge.
    }
  }
}
