import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, ChannelModel } from 'amqplib';
import { type ConnectionListener, type RecoveringConnection, retryDelayMs } from './connection.ts';

/**
 * In encoded frames, of which a message has two or three. amqplib's default of 1024 would let 60 MiB of full messages
 * wait for a broker that does not read.
 */
const WRITE_BUFFER_FRAMES = 128;
const CLOSE_TIMEOUT_MS = 2_000;

export interface ChannelRole {
  /** For the log. */
  readonly name: string;
  /** Declares and consumes on a fresh channel. When it throws, the channel is given up and tried again. */
  setup(channel: Channel, model: ChannelModel): Promise<void>;
  opened?(): void;
  /** From now on nothing more comes from, or can be sent on, that channel. Also called when a set-up fails midway. */
  lost?(): void;
  /** The write buffer, once full, is empty. */
  drained?(): void;
  /** The broker takes messages again. */
  unblocked?(): void;
}

/**
 * One channel that is opened again whenever it dies, alone or with its connection. A channel can die while its connection lives:
 * a consumer time-out (406), a consumer that the broker cancels, an unknown delivery tag.
 */
export class RecoveringChannel {
  /** The channel, once its set-up is through. */
  current: Channel | undefined;
  /** Settles with the first complete set-up. */
  readonly ready: Promise<void>;

  readonly #connection: RecoveringConnection;
  readonly #role: ChannelRole;
  readonly #listener: ConnectionListener;
  #model: ChannelModel | undefined;
  #closing = false;
  readonly #becameReady: () => void;

  constructor(connection: RecoveringConnection, role: ChannelRole) {
    this.#connection = connection;
    this.#role = role;
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.#becameReady = ready.resolve;
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

  /** Closes the channel and lets the connection be. */
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
    for (let failures = 0; this.#model === model && !this.#closing; ) {
      let channel: Channel | undefined;
      try {
        channel = await model.createChannel({ highWaterMark: WRITE_BUFFER_FRAMES });
        const opened = channel;
        // Not `once` of node:events, which also rejects on an error event.
        const closed = new Promise<void>((resolve) => opened.once('close', resolve));
        channel.on('error', (error) => log.warn({ error, channel: this.#role.name }, 'The channel failed'));
        channel.on('handler-error', (error, event) =>
          log.error({ error, event, channel: this.#role.name }, 'A channel listener threw'),
        );
        channel.on('drain', () => this.#role.drained?.());
        await this.#role.setup(channel, model);
        if (this.#closing) throw new Error('The channel was closed during its set-up.');
        this.current = channel;
        this.#becameReady();
        this.#role.opened?.();
        failures = 0;
        await closed;
      } catch (error) {
        if (this.#model === model && !this.#closing) {
          log.warn({ error, channel: this.#role.name }, 'The channel could not be set up');
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
      await sleep(retryDelayMs(failures));
    }
  }
}
