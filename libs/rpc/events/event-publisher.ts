import type { PublishedEvent } from '@worktrack/contracts/events/event';
import type { ConfirmChannel } from 'amqplib';
import { RecoveringChannel } from '../channel.ts';
import type { Broker } from '../connection.ts';
import type { RequestSigner } from '../message/signature.ts';
import { type EventsMessage, eventsMessages } from './message.ts';
import { checkLog, EVENTS_EXCHANGE } from './topology.ts';

/** Publishes events, and knows when the broker has them. */
export class EventPublisher {
  readonly ready: Promise<void>;

  readonly #broker: Broker;
  readonly #signer: RequestSigner;
  readonly #channel: RecoveringChannel;
  #returned = 0;

  /** @param opened called when it can publish, the first time and each time after */
  constructor(options: {
    readonly broker: Broker;
    /** For events (eventSigner of libs/runtime). */
    readonly signer: RequestSigner;
    opened?(): void;
  }) {
    const { broker, signer, opened } = options;
    this.#broker = broker;
    this.#signer = signer;
    this.#channel = new RecoveringChannel(broker.publishing, {
      name: 'events',
      confirms: true,
      setup: async (channel, model) => {
        channel.on('return', () => this.#returned++);
        await checkLog(model);
      },
      opened,
    });
    this.ready = this.#channel.ready;
  }

  /**
   * One call after the other: they are published in order.
   * @returns once the broker has all of them on disk
   * @throws when it may be missing some: publish all of them again, readers recognize duplicates by their ids
   */
  async publish(events: readonly PublishedEvent[]): Promise<void> {
    const channel = this.#channel.current as ConfirmChannel | undefined;
    if (!channel) throw new Error('The broker is unavailable.');
    // They would wait in the socket, and everything behind them.
    if (this.#broker.publishing.status === 'blocked') throw new Error('The broker takes no messages at the moment.');
    const returnedBefore = this.#returned;
    const confirmed = [...eventsMessages(this.#signer, events)].map((message) => publishOne(channel, message));
    const outcomes = await Promise.allSettled(confirmed);
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure) throw failure.reason;
    if (this.#returned > returnedBefore) throw new Error('The broker has no queue for events.');
  }

  close(): Promise<void> {
    return this.#channel.close();
  }
}

function publishOne(channel: ConfirmChannel, { topic, content }: EventsMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    channel.publish(EVENTS_EXCHANGE, topic, content, { persistent: true, mandatory: true }, (error) =>
      error ? reject(error) : resolve(),
    );
  });
}
