import { setTimeout as sleep } from 'node:timers/promises';
import type { PublishedEvent } from '@worktrack/contracts/events/event';
import type { Channel, ConsumeMessage } from 'amqplib';
import { consume, RecoveringChannel } from '../channel.ts';
import { type Broker, retryDelayMs } from '../connection.ts';
import type { RequestSigner } from '../message/signature.ts';
import { UnverifiedMessage } from '../message/signed.ts';
import type { Log, RpcObserver } from '../types.ts';
import { readEvents } from './message.ts';
import { declareLog, isLogConsumed, LOG_DEAD_QUEUE, LOG_QUEUE } from './topology.ts';

/** The most messages taken together, each of up to 64 KiB: many hold only one or two events. */
const PREFETCH = 512;
/** How often an event fails alone, while others can be stored, until it goes to the dead letters. */
const MAX_REFUSALS = 3;
/** How often queues that an operator has deleted by hand are looked for. */
const LOOK_EVERY_MS = 10_000;

export interface LogConsumerOptions {
  readonly broker: Broker;
  /** For events (eventSigner of libs/runtime). */
  readonly signer: RequestSigner;
  readonly log: Log;
  readonly observer: RpcObserver;
  /** At least once for each event. If it fails, it is called again, for as long as the events belong to this process. */
  take(events: readonly PublishedEvent[]): Promise<void>;
  /** Whether any event can be stored at the moment. If so, those that `take` still fails on are themselves at fault. */
  canStore(): Promise<boolean>;
}

interface Arrived {
  readonly message: ConsumeMessage;
  readonly events: readonly PublishedEvent[];
}

/** What came over one channel: its delivery tags are only valid there. */
interface Delivered {
  readonly channel: Channel;
  readonly waiting: Arrived[];
}

/**
 * Hands over all events, in order of publication for each publisher, one batch after the other, and acknowledges a batch once it is taken. Of all
 * replicas, one does so at a time; but one that was frozen may not know yet that it is no longer the one.
 *
 * An event that cannot be stored holds up nobody: the batch is halved until the event is alone, and its message goes to the dead letters, unchanged. So it can
 * be moved back to the queue once the cause is mended; the log recognizes the other events in it by their ids.
 */
export class LogConsumer {
  readonly ready: Promise<void>;

  readonly #options: LogConsumerOptions;
  readonly #channel: RecoveringChannel;
  #delivered: Delivered | undefined;
  #work: Promise<void> | undefined;
  readonly #looking: NodeJS.Timeout;
  #looked: Promise<void> | undefined;

  constructor(options: LogConsumerOptions) {
    this.#options = options;
    const { broker, log } = options;
    this.#channel = new RecoveringChannel(broker.consuming, {
      name: LOG_QUEUE,
      setup: async (channel, model) => {
        await declareLog(model, log);
        await channel.prefetch(PREFETCH);
        const delivered: Delivered = { channel, waiting: [] };
        this.#delivered = delivered;
        await consume(channel, LOG_QUEUE, (message) => this.#received(message, delivered));
      },
      lost: () => {
        // The messages waiting here will be redelivered, to the next elected process.
        this.#delivered = undefined;
      },
    });
    this.ready = this.#channel.ready;
    this.#looking = setInterval(() => {
      this.#looked ??= this.#look().finally(() => {
        this.#looked = undefined;
      });
    }, LOOK_EVERY_MS).unref();
  }

  /**
   * Takes no more, and ends once the work in progress is done. The consumer stays until its channel closes. Cancelling it would make room for the next
   * consumer, which would get new messages before those still waiting here.
   */
  async close(): Promise<void> {
    clearInterval(this.#looking);
    this.#delivered = undefined;
    await this.#work;
    await this.#channel.close();
  }

  /**
   * The broker tells nobody that a binding or an exchange was deleted, and of a queue not always (RabbitMQ 3.10: a quorum queue in a cluster under load). Without them
   * nothing comes any more; another channel declares them again.
   */
  async #look(): Promise<void> {
    const { broker, log } = this.#options;
    const { model } = broker.consuming;
    const channel = this.#channel.current;
    if (!model || !channel) return;
    const problem = await isLogConsumed(model).then(
      (isConsumed) => (isConsumed ? undefined : 'nobody consumes from it'),
      (error: unknown) => error,
    );
    if (problem === undefined || this.#channel.current !== channel) return;
    log.warn({ error: problem, queue: LOG_QUEUE }, 'The queue of the log, or what leads to it, is not there');
    await channel.close().catch(() => {});
  }

  #received(message: ConsumeMessage, delivered: Delivered): void {
    const { signer, log, observer } = this.#options;
    try {
      delivered.waiting.push({ message, events: readEvents(signer, message.content) });
    } catch (error) {
      const reason = error instanceof UnverifiedMessage ? error.reason : 'unreadable';
      log.error({ error, queue: LOG_QUEUE, reason }, 'An unacceptable message goes to the dead letters');
      observer.deadLettered(LOG_DEAD_QUEUE, reason);
      delivered.channel.nack(message, false, false);
      return;
    }
    this.#work ??= this.#takeAll().finally(() => {
      this.#work = undefined;
    });
  }

  async #takeAll(): Promise<void> {
    // What arrived in the same turn of the event loop is taken together.
    await new Promise(setImmediate);
    for (let delivered = this.#delivered; delivered?.waiting.length; delivered = this.#delivered) {
      const batch = delivered.waiting.splice(0);
      const refused = new Set<PublishedEvent>();
      const events = batch.flatMap((arrived) => arrived.events);
      if (await this.#take(events, refused, delivered)) this.#finish(batch, refused, delivered.channel);
    }
  }

  /** @returns whether all of them are taken, except for those added to `refused` */
  async #take(events: readonly PublishedEvent[], refused: Set<PublishedEvent>, delivered: Delivered): Promise<boolean> {
    const { take, canStore, log } = this.#options;
    for (let failures = 1, refusals = 0; this.#delivered === delivered; failures++) {
      try {
        await take(events);
        return true;
      } catch (error) {
        log.warn({ error, events: events.length, failures }, 'Events could not be processed; trying again');
        if (!(await canStore())) {
          await sleep(retryDelayMs(failures));
        } else if (events.length > 1) {
          const half = Math.ceil(events.length / 2);
          return (
            (await this.#take(events.slice(0, half), refused, delivered)) &&
            (await this.#take(events.slice(half), refused, delivered))
          );
        } else if (++refusals === MAX_REFUSALS) {
          for (const event of events) refused.add(event);
          return true;
        }
      }
    }
    return false;
  }

  #finish(batch: readonly Arrived[], refused: ReadonlySet<PublishedEvent>, channel: Channel): void {
    const { log, observer } = this.#options;
    let last: ConsumeMessage | undefined;
    try {
      for (const { message, events } of batch) {
        const ids = events.flatMap((event) => (refused.has(event) ? [event.id] : []));
        if (ids.length === 0) last = message;
        else {
          log.error(
            { queue: LOG_QUEUE, ids },
            'A message goes to the dead letters: some of its events cannot be stored',
          );
          observer.deadLettered(LOG_DEAD_QUEUE, 'refused');
          channel.nack(message, false, false);
        }
      }
      if (last) channel.ack(last, true);
    } catch {
      // The channel is gone and its tags with it. The broker redelivers these messages.
    }
  }
}
