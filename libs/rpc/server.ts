import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, type ErrorValue, OperationError } from '@worktrack/contracts/errors';
import type { Operation, ServiceContract } from '@worktrack/contracts/operation';
import type { Channel, ConsumeMessage } from 'amqplib';
import { RecoveringChannel } from './channel.ts';
import { DeadlineTimer, nowMs, WaitEstimator } from './clock.ts';
import type { Broker } from './connection.ts';
import { isReplyAddress } from './direct-reply.ts';
import { admit, contextOf, type Endpoint, endpointsOf, failureOf, internalFailure } from './endpoint.ts';
import { ReplyStatus, type RequestItem, readRequests, replyItem, requestItem, requestMessage } from './envelope.ts';
import { encodeFrame } from './frame.ts';
import { declareLane, type LaneName, type LaneQueues, laneQueues } from './queues.ts';
import { ReplySender } from './replies.ts';
import { StreamServer } from './stream-server.ts';
import { interrupted } from './streams.ts';
import type { Call, Log, Reply, RpcHandlers, RpcObserver, Settled } from './types.ts';

/** Messages of up to 64 items each; the next ones are already here when one is done. */
const DEFAULT_PREFETCH = 8;
/** How often an item is run: in its batch, then alone. The third time it goes to the dead letters. */
const MAX_ATTEMPTS = 2;
/** RabbitMQ 4 refuses messages above 16 MiB, by closing the channel. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
/** A stop waits this long for work under way; what is not done by then is delivered to another replica. */
const STOP_TIMEOUT_MS = 20_000;

export interface RpcServerOptions<C extends ServiceContract> {
  readonly broker: Broker;
  readonly contract: C;
  readonly handlers: RpcHandlers<C>;
  readonly log: Log;
  readonly observer: RpcObserver;
  /** Messages under way per lane. */
  readonly prefetch?: number;
  /** Of the long lane, where it differs: its messages are single calls, of which many may be under way where they wait and do not compute. */
  readonly longPrefetch?: number;
}

export interface RpcServer {
  /** Takes no more calls, answers those under way, and closes the channels. */
  stop(): Promise<void>;
}

/** Answers the calls of a contract. Resolves once the service can be called. */
export async function serveRpc<C extends ServiceContract>(options: RpcServerOptions<C>): Promise<RpcServer> {
  const server = new Server(options, endpointsOf(options.contract, options.handlers));
  await server.ready;
  return server;
}

interface Lane {
  readonly queues: LaneQueues;
  readonly consumers: readonly RecoveringChannel[];
}

/** A message under way. It is acknowledged once each of its items is answered. */
interface Delivery {
  readonly message: ConsumeMessage;
  /** A delivery tag means something on its own channel only. */
  readonly channel: Channel;
  readonly queues: LaneQueues;
  readonly replyTo: string;
  openItems: number;
}

/** One call under way. */
interface Item {
  readonly request: RequestItem;
  readonly delivery: Delivery;
  readonly startedAtMs: number;
  readonly deadlineAtMs: number;
  closed: boolean;
}

/** The calls of one operation in one message, for a handler that takes them together. */
interface Group {
  readonly items: Item[];
  readonly calls: Call<Operation>[];
}

class Server implements RpcServer {
  readonly ready: Promise<unknown>;

  private readonly service: string;
  private readonly endpoints: ReadonlyMap<string, Endpoint>;
  private readonly log: Log;
  private readonly observer: RpcObserver;
  private readonly replies: ReplySender;
  private readonly streams: StreamServer | undefined;
  private readonly lanes: readonly Lane[];
  private readonly consumerTags = new Map<Channel, string>();
  /** Under which this process sends items to the queue of retries. */
  private readonly identity = randomBytes(9).toString('base64url');
  private readonly waits = new WaitEstimator();
  private readonly running = new Set<Item>();
  private readonly deadlines = new DeadlineTimer((now) => this.sweep(now));
  private openDeliveries = 0;
  private stopping = false;
  private whenIdle: (() => void) | undefined;

  constructor(
    options: Pick<
      RpcServerOptions<ServiceContract>,
      'broker' | 'contract' | 'log' | 'observer' | 'prefetch' | 'longPrefetch'
    >,
    endpoints: ReadonlyMap<string, Endpoint>,
  ) {
    const { broker, contract, log, observer, prefetch = DEFAULT_PREFETCH, longPrefetch = prefetch } = options;
    this.service = contract.name;
    this.endpoints = endpoints;
    this.log = log;
    this.observer = observer;
    this.replies = new ReplySender(broker, observer);
    const operations = [...endpoints.values()].map(({ operation }) => operation);
    if (operations.some(({ bytes }) => bytes)) this.streams = new StreamServer(broker, log, observer);
    const names = new Set<LaneName>(operations.map(({ lane }) => lane ?? 'normal'));
    this.lanes = [...names].map((name) =>
      this.openLane(broker, laneQueues(this.service, name), name === 'long' ? longPrefetch : prefetch),
    );
    const consumers = this.lanes.flatMap((lane) => lane.consumers);
    this.ready = Promise.all([this.replies.ready, this.streams?.ready, ...consumers.map((consumer) => consumer.ready)]);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all([...this.consumerTags].map(([channel, tag]) => channel.cancel(tag).catch(() => {})));
    if (this.openDeliveries > 0) {
      const idle = Promise.withResolvers<void>();
      this.whenIdle = idle.resolve;
      await Promise.race([idle.promise, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    }
    await this.streams?.close(STOP_TIMEOUT_MS);
    await this.replies.close(STOP_TIMEOUT_MS);
    await Promise.all(this.lanes.flatMap((lane) => lane.consumers.map((consumer) => consumer.close())));
    this.deadlines.stop();
  }

  // ---- receiving

  private openLane(broker: Broker, queues: LaneQueues, prefetch: number): Lane {
    const consumer = (queue: string, window: number) =>
      new RecoveringChannel(broker.consuming, {
        name: queue,
        setup: async (channel, model) => {
          await declareLane(model, queues, this.log);
          await channel.prefetch(window);
          const { consumerTag } = await channel.consume(queue, (message) => {
            if (message) this.received(message, channel, queues);
            // The broker cancelled the consumer: its queue is gone or moves. A new channel declares it again.
            else channel.close().catch(() => {});
          });
          this.consumerTags.set(channel, consumerTag);
          channel.once('close', () => this.consumerTags.delete(channel));
          if (this.stopping) await channel.cancel(consumerTag);
        },
      });
    return {
      queues,
      consumers: [
        consumer(queues.requests, prefetch),
        // One at a time: of these, none but the one that runs is counted as tried when the process dies.
        consumer(queues.retries, 1),
      ],
    };
  }

  private received(message: ConsumeMessage, channel: Channel, queues: LaneQueues): void {
    try {
      this.accept(message, channel, queues);
    } catch (error) {
      this.log.warn({ error }, 'A message was lost with its channel; it will be delivered again');
    }
  }

  private accept(message: ConsumeMessage, channel: Channel, queues: LaneQueues): void {
    const receivedAtMs = nowMs();
    const delivery = this.open(message, channel, queues);
    if (!delivery) return;
    const { client, sentAtMs, items } = delivery.request;
    const waitedMs = this.waits.waitedMs(client, sentAtMs, receivedAtMs);
    this.openDeliveries++;
    if (items.length === 0) this.finish(delivery);
    const calls = items.map<Item>((request) => ({
      request,
      delivery,
      startedAtMs: receivedAtMs,
      deadlineAtMs: receivedAtMs + request.remainingMs - waitedMs,
      closed: false,
    }));
    if (message.fields.redelivered) for (const item of calls) this.retry(item);
    else this.run(calls);
  }

  /** Reads a message; one that cannot be read goes to the dead letters. */
  private open(message: ConsumeMessage, channel: Channel, queues: LaneQueues) {
    try {
      const { replyTo } = message.properties;
      if (!isReplyAddress(replyTo)) throw new Error('a message without a reply address');
      const request = readRequests(message.content);
      return { message, channel, queues, replyTo, request, openItems: request.items.length };
    } catch (error) {
      this.log.error({ error, queue: queues.requests }, 'A message that cannot be read goes to the dead letters');
      this.observer.deadLettered(queues.dead, 'unreadable');
      channel.nack(message, false, false);
      return undefined;
    }
  }

  /**
   * An item of a message that was delivered before: to a process that died, or whose connection broke. Perhaps it was what the process
   * died of. So it goes, in a message of its own, to the queue of retries, of which each process takes one at a time. A classic queue says
   * that a message was delivered before, not how often: the item counts.
   */
  private retry(item: Item): void {
    const { request, delivery } = item;
    const { channel, queues, replyTo } = delivery;
    const sentAtMs = nowMs();
    const remainingMs = item.deadlineAtMs - sentAtMs;
    if (remainingMs <= 0) {
      this.expire(item);
      return;
    }
    if (this.endpoints.get(request.body[0])?.operation.bytes) {
      // Its bytes may have begun to go to the other process.
      this.fail(item, interrupted().toValue());
      return;
    }
    const again = requestItem(request.id, remainingMs, request.attempt + 1, JSON.stringify(request.body));
    const content = encodeFrame(requestMessage(this.identity, sentAtMs, [again]));
    if (request.attempt < MAX_ATTEMPTS) {
      // On the channel that acknowledges the original, so that the broker takes both, in this order, or neither.
      channel.publish('', queues.retries, content, { replyTo });
      this.close(item);
    } else {
      const [operation, requestId] = request.body;
      this.log.error({ operation, requestId, attempts: request.attempt }, 'A call goes to the dead letters');
      this.observer.deadLettered(queues.dead, 'redelivered');
      channel.publish('', queues.dead, content, { persistent: true });
      this.fail(item, internalFailure());
    }
  }

  // ---- running

  private run(items: readonly Item[]): void {
    const groups = new Map<Endpoint, Group>();
    for (const item of items) this.start(item, groups);
    for (const [endpoint, group] of groups) void this.runMany(endpoint, group);
  }

  private start(item: Item, groups: Map<Endpoint, Group>): void {
    const { body } = item.request;
    const remainingMs = item.deadlineAtMs - item.startedAtMs;
    if (remainingMs <= 0) {
      this.expire(item);
      return;
    }
    const endpoint = this.endpoints.get(body[0]);
    if (!endpoint) {
      // A newer gateway beside an older replica, as in every rolling update.
      this.log.error({ operation: body[0] }, 'A call of an operation that this version does not have');
      this.fail(item, {
        code: 'UNAVAILABLE',
        message: `This ${this.service} has no ${body[0]}.`,
        retryAfterSeconds: 1,
      });
      return;
    }
    this.running.add(item);
    this.deadlines.watch(item.deadlineAtMs);
    try {
      const admission = admit(endpoint, body[4], body[5]);
      if ('refusal' in admission) {
        this.fail(item, admission.refusal.toValue());
        return;
      }
      const { input } = admission;
      const context = contextOf(body, remainingMs, this.log);
      const { handler } = endpoint;
      if ('one' in handler) {
        handler.one(input, context).then(
          (reply) => this.succeed(item, endpoint, reply),
          (error) => this.failed(item, endpoint, error),
        );
      } else if ('many' in handler) {
        const group = groups.get(endpoint) ?? { items: [], calls: [] };
        groups.set(endpoint, group);
        group.items.push(item);
        group.calls.push({ input, context });
      } else {
        this.streams?.start(item.request, item.delivery.replyTo, endpoint, input);
        this.close(item);
      }
    } catch (error) {
      this.failed(item, endpoint, error);
    }
  }

  private async runMany(endpoint: Endpoint, { items, calls }: Group): Promise<void> {
    if (!('many' in endpoint.handler)) return;
    let settled: readonly Settled<unknown>[];
    try {
      settled = await endpoint.handler.many(calls);
      if (settled.length !== items.length) throw new Error(`${settled.length} answers to ${items.length} calls`);
    } catch (error) {
      for (const item of items) this.failed(item, endpoint, error);
      return;
    }
    for (const [index, answer] of settled.entries()) {
      const item = items[index] as Item;
      if ('error' in answer) this.failed(item, endpoint, OperationError.from(answer.error));
      else this.succeed(item, endpoint, { output: answer.output, replayed: answer.replayed ?? false });
    }
  }

  // ---- answering

  private succeed(item: Item, endpoint: Endpoint, { output, replayed }: Reply<unknown>): void {
    let payload: string;
    try {
      payload = JSON.stringify(output ?? null);
      if (Buffer.byteLength(payload) > MAX_OUTPUT_BYTES) throw new Error(`an output above ${MAX_OUTPUT_BYTES} bytes`);
    } catch (error) {
      this.failed(item, endpoint, error);
      return;
    }
    const status = replayed ? ReplyStatus.replayed : ReplyStatus.ok;
    this.answer(item, replyItem(item.request.id, status, payload), 'ok');
  }

  private failed(item: Item, endpoint: Endpoint, error: unknown): void {
    this.fail(item, failureOf(endpoint, error, item.request.body[1], this.log));
  }

  private fail(item: Item, error: ErrorValue): void {
    this.answer(item, replyItem(item.request.id, ReplyStatus.failed, JSON.stringify(error)), error.code);
  }

  /** Dropped unrun. The client has given up by its own clock; if it has not, this tells it that ours was wrong. */
  private expire(item: Item): void {
    this.answer(item, replyItem(item.request.id, ReplyStatus.expired, 'null'), 'DEADLINE_EXCEEDED');
  }

  private answer(item: Item, reply: string, outcome: 'ok' | ErrorCode): void {
    // A handler that ends after its deadline has been answered for.
    if (item.closed) return;
    this.replies.add(item.delivery.replyTo, reply);
    this.observer.handled(item.request.body[0], outcome, nowMs() - item.startedAtMs);
    this.close(item);
  }

  private close(item: Item): void {
    if (item.closed) return;
    item.closed = true;
    this.running.delete(item);
    item.delivery.openItems--;
    if (item.delivery.openItems === 0) this.finish(item.delivery);
  }

  private finish({ channel, message }: Delivery): void {
    this.replies.afterSent(() => {
      try {
        channel.ack(message);
      } catch {
        // Its channel is gone and so is its tag. The broker delivers it again, and the writes in it know that they are done.
      }
      this.openDeliveries--;
      if (this.openDeliveries === 0) this.whenIdle?.();
    });
  }

  /** Ends the items whose callers have gone, so that a handler that hangs does not hold a place in the prefetch window for ever. */
  private sweep(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const item of this.running) {
      if (item.deadlineAtMs <= now) {
        this.fail(item, { code: 'DEADLINE_EXCEEDED', message: `${item.request.body[0]} did not end in time.` });
      } else if (item.deadlineAtMs < next) next = item.deadlineAtMs;
    }
    return next;
  }
}
