import type { Channel, ChannelModel, ConsumeMessage, Options } from 'amqplib';
import { consume, RecoveringChannel } from '../channel.ts';
import type { Broker } from '../connection.ts';
import { declareQueue } from '../queues.ts';
import type { Log } from '../types.ts';

/** Less than the time after which RabbitMQ closes a channel that does not acknowledge (`consumer_timeout`, 30 minutes). */
const RENEW_AFTER_MS = 10 * 60_000;
const NO_CONTENT = Buffer.alloc(0);

/** Classic, with transient messages: an election concerns only connected processes, and each of them starts with a nudge. */
const QUEUE_OPTIONS: Options.AssertQueue = {
  durable: true,
  // All nudges in it mean the same thing: one is enough.
  maxLength: 1,
  arguments: { 'x-queue-type': 'classic', 'x-single-active-consumer': true },
};

/**
 * The broker elects one of the participating processes: the one consumer that a queue delivers to. It keeps the last nudge unacknowledged, so that once it is
 * gone the broker delivers that nudge to the next one, which thereby learns that it is elected.
 *
 * Two may believe for a moment that they are elected, if one was frozen or disconnected. And all do while the queue's node is down and the broker cannot elect
 * one. So the election avoids duplicate work, but is not mutual exclusion.
 */
export class Election {
  /** Resolves once this process can be elected. */
  readonly ready: Promise<unknown>;

  readonly #queue: string;
  readonly #elected: RecoveringChannel;
  readonly #sending: RecoveringChannel;
  readonly #renewal: NodeJS.Timeout;
  readonly #nudged: () => void;
  #token: ConsumeMessage | undefined;
  /** The broker cannot elect it: the broker is unavailable, or the queue's node is. */
  #isCutOff = false;

  /**
   * @param queue the election's name
   * @param nudged called in the elected process: on its election, and whenever any process asks for it
   */
  constructor(options: { readonly broker: Broker; readonly queue: string; readonly log: Log; nudged(): void }) {
    const { broker, queue, log, nudged } = options;
    this.#queue = queue;
    this.#nudged = nudged;
    const declare = async (model: ChannelModel) => {
      await declareQueue(model, log, queue, QUEUE_OPTIONS);
    };
    this.#elected = new RecoveringChannel(broker.consuming, {
      name: queue,
      setup: async (channel, model) => {
        await declare(model);
        // The one being held, and the next.
        await channel.prefetch(2);
        await consume(channel, queue, (message) => this.#received(message, channel));
      },
      opened: () => {
        this.#isCutOff = false;
      },
      lost: () => {
        this.#token = undefined;
        this.#isCutOff = true;
      },
    });
    this.#sending = new RecoveringChannel(broker.publishing, {
      name: `${queue} nudges`,
      setup: (_, model) => declare(model),
      // Without any nudge, nobody would find out.
      opened: () => this.#send(),
    });
    this.ready = Promise.all([this.#elected.ready, this.#sending.ready]);
    this.#renewal = setInterval(() => this.#token && this.#send(), RENEW_AFTER_MS).unref();
  }

  get isElected(): boolean {
    return this.#token !== undefined || this.#isCutOff;
  }

  /** Calls `nudged` in the elected process. May get lost with a connection. */
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
    const before = this.#token;
    this.#token = message;
    if (before) channel.ack(before);
    this.#nudged();
  }

  #send(): void {
    try {
      this.#sending.current?.sendToQueue(this.#queue, NO_CONTENT);
    } catch {
      // The channel died; the next one starts with a nudge.
    }
  }
}
