import type { Channel, ConsumeMessage } from 'amqplib';
import { consume, RecoveringChannel } from '../channel.ts';
import { nowMs } from '../clock.ts';
import type { Broker } from '../connection.ts';
import { isReplyAddress } from '../message/direct-reply.ts';
import { lostItem, type RequestMessage, verifiedRequests } from '../message/envelope.ts';
import type { RequestSigner } from '../message/signature.ts';
import { UnverifiedMessage } from '../message/signed.ts';
import { declareLane, type LaneName, type LaneQueues, laneQueues, MAX_GENERATIONS, QueueNodeDown } from '../queues.ts';
import type { Log, RpcObserver } from '../types.ts';
import { Acknowledgements } from './acknowledgements.ts';
import type { Delivery } from './delivery.ts';
import type { ReplySender } from './reply-sender.ts';

export interface LaneConsumerOptions {
  readonly broker: Broker;
  readonly service: string;
  readonly lane: LaneName;
  /** Messages in progress; 0: any number. */
  readonly prefetch: number;
  readonly replies: ReplySender;
  readonly signer: RequestSigner;
  readonly log: Log;
  readonly observer: RpcObserver;
  /** What came over this channel and is not acknowledged goes to another consumer. */
  lost?(by: object): void;
  /** @param redelivered it was delivered before, to a process that died or whose connection broke */
  received(request: RequestMessage, delivery: Delivery, redelivered: boolean): void;
}

/** Takes the messages of a lane from the broker until it is cancelled, and moves those that cannot be verified or read to the dead letters. */
export class LaneConsumer {
  readonly #ready = Promise.withResolvers<void>();
  /** Resolves once messages from one generation of its queues are being taken. */
  readonly ready = this.#ready.promise;

  readonly #options: LaneConsumerOptions;
  readonly #channels: RecoveringChannel[] = [];
  #generations = 0;
  readonly #consumerTags = new Map<Channel, string>();
  readonly #acknowledgements = new Map<Channel, Acknowledgements>();
  /** When a queue had neither messages nor consumers. */
  readonly #unusedAtMs = new Map<string, number>();
  #isCancelled = false;

  constructor(options: LaneConsumerOptions) {
    this.#options = options;
    this.#takeNextGeneration();
  }

  /** No more messages; those in progress can still be acknowledged, except for calls that wait: they go to the next replica at once, before later ones. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    if (this.#options.lane === 'waiting') return await this.close();
    await Promise.all([...this.#consumerTags].map(([channel, tag]) => channel.cancel(tag).catch(() => {})));
  }

  async close(): Promise<void> {
    for (const acknowledgements of this.#acknowledgements.values()) acknowledgements.flush();
    await Promise.all(this.#channels.map((channel) => channel.close()));
  }

  /** Any of the generations before it may come back at any time; its channels keep trying. */
  #takeNextGeneration(): void {
    const { service, lane, prefetch } = this.#options;
    const generation = ++this.#generations;
    const queues = laneQueues(service, lane, generation);
    const channels = [this.#consume(queues, queues.requests, prefetch, generation)];
    // One at a time: then only the one running counts as tried if the process dies.
    if (queues.retries !== undefined) channels.push(this.#consume(queues, queues.retries, 1, generation));
    this.#channels.push(...channels);
    void Promise.all(channels.map((channel) => channel.ready)).then(() => this.#ready.resolve());
  }

  #consume(queues: LaneQueues, queue: string, prefetch: number, generation: number): RecoveringChannel {
    const { broker, lane, log } = this.#options;
    return new RecoveringChannel(broker.consuming, {
      name: queue,
      setup: async (channel, model) => {
        try {
          if (await declareLane(model, lane, queues, queue, log)) this.#unusedAtMs.set(queues.requests, nowMs());
        } catch (error) {
          const isLast = generation === this.#generations && generation < MAX_GENERATIONS;
          if (error instanceof QueueNodeDown && isLast) this.#takeNextGeneration();
          throw error;
        }
        await channel.prefetch(prefetch);
        const acknowledgements = new Acknowledgements(channel, prefetch);
        this.#acknowledgements.set(channel, acknowledgements);
        channel.once('close', () => {
          this.#consumerTags.delete(channel);
          this.#acknowledgements.delete(channel);
          this.#options.lost?.(channel);
        });
        const { consumerTag } = await consume(channel, queue, (message) =>
          this.#received(message, channel, queues, acknowledgements),
        );
        this.#consumerTags.set(channel, consumerTag);
        if (this.#isCancelled) await channel.cancel(consumerTag);
      },
    });
  }

  #received(message: ConsumeMessage, channel: Channel, queues: LaneQueues, acknowledgements: Acknowledgements): void {
    try {
      const request = this.#read(message, channel, queues);
      if (!request) return;
      const unusedAtMs = this.#unusedAtMs.get(queues.requests);
      // A client that has no answer. What it sent to a queue that has ended is unknown here.
      if (request.items.length === 0 && unusedAtMs !== undefined) {
        this.#options.replies.add(message.properties.replyTo, lostItem(queues.requests, nowMs() - unusedAtMs), false);
      }
      const delivery: Delivery = {
        queues,
        replyTo: message.properties.replyTo,
        openItems: request.items.length,
        by: channel,
        acknowledge: () => {
          acknowledgements.add(message);
          // Its items were forwarded: another delivered copy of them would count as one more attempt.
          if (message.fields.redelivered) acknowledgements.flush();
        },
        forward: (queue, content, options) => void channel.publish('', queue, content, options),
      };
      this.#options.received(request, delivery, message.fields.redelivered);
    } catch (error) {
      this.#options.log.warn({ error }, 'A message was lost with its channel; it will be delivered again');
    }
  }

  #read(message: ConsumeMessage, channel: Channel, queues: LaneQueues): RequestMessage | undefined {
    const { signer, log, observer } = this.#options;
    try {
      const request = verifiedRequests(signer, message.content);
      if (!isReplyAddress(message.properties.replyTo)) throw new Error('a message without a reply address');
      return request;
    } catch (error) {
      const reason = error instanceof UnverifiedMessage ? error.reason : 'unreadable';
      log.error({ error, queue: queues.requests, reason }, 'An unacceptable message goes to the dead letters');
      observer.deadLettered(queues.dead, reason);
      channel.nack(message, false, false);
      return undefined;
    }
  }
}
