import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelModel, ConsumeMessage, Options, Replies } from 'amqplib';
import { type ConnectionListener, type RecoveringConnection, retryDelayMs } from './connection.ts';
import { QueueNodeDown } from './queues.ts';
import { Reminders } from './reminders.ts';

/**
 * The limit in encoded frames, of which a message has two or three. With amqplib's default of 1024, 60 MiB of full messages could queue up for a broker that
 * does not read.
 */
const WRITE_BUFFER_FRAMES = 128;
const CLOSE_TIMEOUT_MS = 2_000;
/**
 * A node of a cluster may be away for days, and its broker logs each attempt. At most half a second apart, those of ten processes took 1.4 GB a day of its disk.
 * It is less than clients wait for a service that moves (client/queue-watch.ts).
 */
const LONGEST_NODE_RETRY_MS = 4_000;

export interface ChannelRole {
  /** For the log. */
  readonly name: string;
  /** The broker confirms what is published (publisher confirms): the channel is a ConfirmChannel. */
  readonly confirms?: boolean;
  /** Declares and consumes on a fresh channel. If it throws, the channel is abandoned and another one tried. */
  setup(channel: Channel, model: ChannelModel): Promise<void>;
  opened?(): void;
  /** From now on nothing arrives from, or can be sent on, that channel. Also called when a setup fails midway. */
  lost?(): void;
  /** The write buffer, previously full, is empty. */
  drained?(): void;
  /** The broker accepts messages again. */
  unblocked?(): void;
}

/**
 * One channel that is reopened whenever it dies, alone or with its connection. A channel can die while its connection lives:
 * a consumer timeout (406), a consumer cancelled by the broker, an unknown delivery tag.
 */
export class RecoveringChannel {
  /** The channel, once its setup is complete. */
  current: Channel | undefined;
  readonly #ready = Promise.withResolvers<void>();
  /** Settles with the first complete setup. */
  readonly ready = this.#ready.promise;

  readonly #connection: RecoveringConnection;
  readonly #role: ChannelRole;
  readonly #listener: ConnectionListener;
  #model: ChannelModel | undefined;
  #closing = false;

  constructor(connection: RecoveringConnection, role: ChannelRole) {
    this.#connection = connection;
    this.#role = role;
    this.#listener = {
      opened: (model) => {
        this.#model = model;
        void this.#open(model);
      },
      lost: () => {
        this.#model = undefined;
      },
      unblocked: () => role.unblocked?.(),
    };
    connection.listen(this.#listener);
  }

  /** Closes the channel but leaves the connection open. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#connection.unlisten(this.#listener);
    const channel = this.current;
    this.current = undefined;
    if (channel) {
      await Promise.race([channel.close().catch(() => {}), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    }
  }

  async #open(model: ChannelModel): Promise<void> {
    const { log } = this.#connection;
    const reminders = new Reminders();
    for (let failures = 0; this.#model === model && !this.#closing; ) {
      let channel: Channel | undefined;
      let isNodeDown = false;
      try {
        const options = { highWaterMark: WRITE_BUFFER_FRAMES };
        channel = await (this.#role.confirms ? model.createConfirmChannel(options) : model.createChannel(options));
        const opened = channel;
        // Not node:events' `once`, which also rejects on an error event.
        const closed = new Promise<void>((resolve) => opened.once('close', resolve));
        channel.on('error', (error) => log.warn({ error, channel: this.#role.name }, 'The channel failed'));
        channel.on('handler-error', (error, event) =>
          log.error({ error, event, channel: this.#role.name }, 'A channel listener threw'),
        );
        channel.on('drain', () => this.#role.drained?.());
        await this.#role.setup(channel, model);
        if (this.#closing) throw new Error('The channel was closed during its setup.');
        this.current = channel;
        this.#ready.resolve();
        this.#role.opened?.();
        failures = 0;
        reminders.restart();
        await closed;
      } catch (error) {
        isNodeDown = error instanceof QueueNodeDown;
        if (this.#model === model && !this.#closing && reminders.isDue()) {
          log.warn({ error, failures, channel: this.#role.name }, 'The channel could not be set up');
        }
        // Not awaited: a broker that dies meanwhile never confirms it.
        channel?.close().catch(() => {});
      }
      const wasOpen = this.current !== undefined;
      this.current = undefined;
      this.#role.lost?.();
      if (this.#closing) return;
      if (wasOpen && this.#model === model)
        log.warn({ channel: this.#role.name }, 'The channel closed; opening another');
      failures++;
      await sleep(retryDelayMs(failures, isNodeDown ? LONGEST_NODE_RETRY_MS : undefined));
    }
  }
}

/** A consumer that the broker cancels, since its queue was deleted or is moving, ends its channel: the next one declares the queue again. */
export async function consume(
  channel: Channel,
  queue: string,
  received: (message: ConsumeMessage) => void,
  options?: Options.Consume,
): Promise<Replies.Consume> {
  const take = (message: ConsumeMessage | null) => {
    if (message) received(message);
    else channel.close().catch(() => {});
  };
  return await channel.consume(queue, take, options);
}
