import type { Channel, Message } from 'amqplib';

/** The largest group: half of the window of messages that RabbitMQ sends ahead is enough to keep a consumer busy. */
const GROUP_MAX = 4;
const LONGEST_WAIT_MS = 5;

/**
 * Acknowledges in groups, after the replies: an acknowledgement costs a system call here and wakes the broker, at the very moment when
 * the broker could forward the reply. Sent along with each lone call's reply, they made it take half as long again (`npm run bench -- rpc`).
 * Anything unacknowledged when the process dies is delivered again, and its writes are recognized as done.
 */
export class Acknowledgements {
  readonly #channel: Channel;
  readonly #groupSize: number;
  #done: Message[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param window the consumer's prefetch */
  constructor(channel: Channel, window: number) {
    this.#channel = channel;
    this.#groupSize = Math.min(GROUP_MAX, Math.max(1, Math.floor(window / 2)));
  }

  add(message: Message): void {
    this.#done.push(message);
    if (this.#done.length >= this.#groupSize) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), LONGEST_WAIT_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const done = this.#done;
    this.#done = [];
    try {
      for (const message of done) this.#channel.ack(message);
    } catch {
      // The channel is gone, and with it its tags. The broker will redeliver these messages.
    }
  }
}
