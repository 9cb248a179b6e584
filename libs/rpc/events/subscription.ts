import { setTimeout as sleep } from 'node:timers/promises';
import type { PublishedEvent } from '@worktrack/contracts/events/event';
import { consume, RecoveringChannel } from '../channel.ts';
import { type Broker, retryDelayMs } from '../connection.ts';
import type { RequestSigner } from '../message/signature.ts';
import type { Log } from '../types.ts';
import { type News, readEvents, readNews, topicOf } from './message.ts';
import { checkLog, EVENTS_EXCHANGE, LIVE_EXCHANGE } from './topology.ts';

export interface SubscriberOptions {
  readonly broker: Broker;
  /** For events (eventSigner of libs/runtime). */
  readonly signer: RequestSigner;
  readonly log: Log;
  /**
   * Called once everything published from now on will arrive, the first time and after each interruption. What was published before may have been missed:
   * look for it elsewhere.
   */
  opened(): void;
}

/**
 * Everything published to an exchange, through a queue that is exclusive to this process and is deleted with its connection. The broker keeps nothing for a
 * process that is gone; one that is frozen counts as gone after a few missed heartbeats.
 */
export class Subscription {
  readonly ready: Promise<void>;

  readonly #exchange: string;
  readonly #channel: RecoveringChannel;
  readonly #keys = new Set<string>();
  #queue = '';
  #isOpen = false;
  #opening = Promise.withResolvers<void>();

  /** @param received throws on unreadable content, which is then logged and dropped */
  constructor(options: SubscriberOptions, exchange: string, received: (content: Buffer) => void) {
    const { broker, log } = options;
    this.#exchange = exchange;
    this.#channel = new RecoveringChannel(broker.consuming, {
      name: exchange,
      setup: async (channel, model) => {
        await checkLog(model);
        const { queue } = await channel.assertQueue('', {
          exclusive: true,
          autoDelete: true,
          arguments: { 'x-queue-type': 'classic' },
        });
        this.#queue = queue;
        await Promise.all([...this.#keys].map((key) => channel.bindQueue(queue, exchange, key)));
        const take = ({ content }: { readonly content: Buffer }) => {
          try {
            received(content);
          } catch (error) {
            log.error({ error, exchange }, 'A message that cannot be taken was dropped');
          }
        };
        await consume(channel, queue, take, { noAck: true });
      },
      opened: () => {
        this.#isOpen = true;
        this.#opening.resolve();
        options.opened();
      },
      lost: () => {
        // Those waiting for an opening keep waiting when one fails.
        if (this.#isOpen) this.#opening = Promise.withResolvers<void>();
        this.#isOpen = false;
      },
    });
    this.ready = this.#channel.ready;
  }

  /** @returns once what is published with this key arrives, however long the broker is unavailable */
  async bind(key: string): Promise<void> {
    this.#keys.add(key);
    while (this.#keys.has(key)) {
      const channel = this.#channel.current;
      try {
        if (channel) return void (await channel.bindQueue(this.#queue, this.#exchange, key));
      } catch {
        // The channel died under us; we are notified of that soon.
        await sleep(retryDelayMs(1));
        continue;
      }
      await this.#opening.promise;
    }
  }

  unbind(key: string): void {
    this.#keys.delete(key);
    this.#channel.current?.unbindQueue(this.#queue, this.#exchange, key).catch(() => {});
  }

  async close(): Promise<void> {
    this.#keys.clear();
    this.#opening.resolve();
    await this.#channel.close();
  }
}

/** Events as the services publish them, before they have a place in the log. An event may come more than once. */
export function subscribeToEvents(
  options: SubscriberOptions & { readonly types: readonly string[]; received(events: readonly PublishedEvent[]): void },
): Subscription {
  const types = new Set(options.types);
  const subscription = new Subscription(options, EVENTS_EXCHANGE, (content) => {
    const events = readEvents(options.signer, content).filter(({ type }) => types.has(type));
    if (events.length > 0) options.received(events);
  });
  for (const topic of new Set(options.types.map(topicOf))) void subscription.bind(topic);
  return subscription;
}

/** The live feed, for the organizations that `bind` names. Events come with their place in the log, so that a missed one is noticed. */
export function subscribeToNews(
  options: SubscriberOptions & { received(organizationId: string, news: News): void },
): Subscription {
  return new Subscription(options, LIVE_EXCHANGE, (content) => {
    const { organizationId, news } = readNews(options.signer, content);
    options.received(organizationId, news);
  });
}
