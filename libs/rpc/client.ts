import { randomBytes } from 'node:crypto';
import type { ErrorCode, ErrorValue } from '@worktrack/contracts/errors';
import { OperationError } from '@worktrack/contracts/errors';
import {
  type ByteStream,
  DEFAULT_DEADLINE_MS,
  type Operation,
  type ServiceContract,
} from '@worktrack/contracts/operation';
import type { Channel, ConsumeMessage, Message } from 'amqplib';
import { MAX_BATCH_BYTES, MAX_BATCH_ITEMS } from './batch.ts';
import { RecoveringChannel } from './channel.ts';
import { DeadlineTimer, nowMs } from './clock.ts';
import type { Broker } from './connection.ts';
import { consumeReplies, DIRECT_REPLY_TO } from './direct-reply.ts';
import {
  callBody,
  type ReplyItem,
  ReplyStatus,
  readReplies,
  readRequests,
  requestItem,
  requestMessage,
} from './envelope.ts';
import { decodeFrame, encodeFrame } from './frame.ts';
import { laneQueues } from './queues.ts';
import { StreamClient } from './stream-client.ts';
import { oncePerTick } from './tick.ts';
import type { CallOptions, Log, RpcObserver, ServiceClient } from './types.ts';

const DEFAULT_MAX_PENDING = 8_192;
/** RabbitMQ 4 refuses messages above 16 MiB, by closing the channel. */
const MAX_INPUT_BYTES = 8 * 1024 * 1024;
/** For how long new calls wait for a connection that broke, before they are refused at once. */
const HOLD_MS = 1_000;
/** A write buffer may be full for a moment in a burst; for longer, the broker does not read. */
const STALL_MS = 250;
/** A call without an answer for this long makes the client ask whether its queue is still there. */
const PROBE_AFTER_MS = 500;
/** A server that drops a call as expired while it has this long to go has misjudged its clock. */
const MISJUDGED_MS = 250;
const RETRY_AFTER_SECONDS = 1;
const PUBLISH_OPTIONS = { mandatory: true, replyTo: DIRECT_REPLY_TO };

export interface RpcClientOptions {
  readonly broker: Broker;
  readonly log: Log;
  readonly observer: RpcObserver;
  /** Calls without an answer, over all services; more are refused with UNAVAILABLE. */
  readonly maxPending?: number;
}

export interface RpcClient {
  of<C extends ServiceContract>(contract: C): ServiceClient<C>;
  /** Refuses new calls, waits for the answers of those under way (each has its deadline), and closes the channel. */
  close(): Promise<void>;
}

export function createRpcClient(options: RpcClientOptions): RpcClient {
  return new Client(options);
}

interface PendingCall {
  readonly id: number;
  readonly operation: string;
  readonly outbox: Outbox;
  readonly body: string;
  readonly bodyBytes: number;
  readonly startedAtMs: number;
  readonly deadlineAtMs: number;
  /** When it was last published; undefined while it never was. */
  sentAtMs: number | undefined;
  /** Whether `replayed` is asked for beside the output. */
  readonly whole: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: OperationError) => void;
}

/** The calls for one queue that wait for the end of this tick, or for a channel. */
interface Outbox {
  readonly service: string;
  readonly queue: string;
  readonly long: boolean;
  waiting: PendingCall[];
}

class Client implements RpcClient {
  private readonly broker: Broker;
  private readonly log: Log;
  private readonly observer: RpcObserver;
  private readonly maxPending: number;
  private readonly channel: RecoveringChannel;
  private readonly deadlines = new DeadlineTimer((now) => this.sweep(now));
  private readonly prober: NodeJS.Timeout;
  private readonly outboxes = new Map<string, Outbox>();
  /** In the order of their start. */
  private readonly pending = new Map<number, PendingCall>();
  private streamClient: StreamClient | undefined;
  private identity = newIdentity();
  private lastId = 0;
  private readonly scheduleFlush = oncePerTick(() => this.flush());
  private closing = false;
  private whenIdle: (() => void) | undefined;
  /** Since when there is no channel. */
  private downSinceMs: number | undefined = nowMs();
  private fullSinceMs: number | undefined;

  constructor({ broker, log, observer, maxPending = DEFAULT_MAX_PENDING }: RpcClientOptions) {
    this.broker = broker;
    this.log = log;
    this.observer = observer;
    this.maxPending = maxPending;
    this.channel = new RecoveringChannel(broker.publishing, {
      name: 'rpc client',
      setup: (channel) => this.setup(channel),
      opened: () => this.opened(),
      lost: () => this.lost(),
      drained: () => {
        this.fullSinceMs = undefined;
        this.scheduleFlush();
      },
      unblocked: () => this.scheduleFlush(),
    });
    this.prober = setInterval(() => this.probe(), PROBE_AFTER_MS).unref();
  }

  of<C extends ServiceContract>(contract: C): ServiceClient<C> {
    // The answers are of the types that the contract gives them.
    return {
      call: (name, input, options) => this.start(contract, name, input, options, false) as never,
      exchange: (name, input, options) => this.start(contract, name, input, options, true) as never,
      upload: async (name, input, bytes, options) => {
        const operation = this.admitted(contract, name, options, 'up');
        return (await this.streams().upload(contract.name, operation, input, bytes, options)) as never;
      },
      download: async (name, input, options) => {
        const operation = this.admitted(contract, name, options, 'down');
        return (await this.streams().download(contract.name, operation, input, options)) as never;
      },
    };
  }

  async close(): Promise<void> {
    this.closing = true;
    if (this.pending.size > 0) await new Promise<void>((resolve) => (this.whenIdle = resolve));
    await this.streamClient?.close();
    clearInterval(this.prober);
    this.deadlines.stop();
    await this.channel.close();
  }

  private start(
    contract: ServiceContract,
    name: string,
    input: unknown,
    options: CallOptions,
    whole: boolean,
  ): Promise<unknown> {
    let operation: Operation;
    try {
      operation = this.admitted(contract, name, options, undefined);
    } catch (error) {
      return Promise.reject(error);
    }
    const startedAtMs = nowMs();
    const remainingMs = deadlineOf(operation, options);
    const body = callBody(
      operation.name,
      options.requestId,
      options.idempotencyKey ?? null,
      options.traceparent ?? null,
      options.caller ?? null,
      input ?? null,
    );
    const bodyBytes = Buffer.byteLength(body);
    if (bodyBytes > MAX_INPUT_BYTES) {
      const error = new OperationError('PAYLOAD_TOO_LARGE', `The input may have ${MAX_INPUT_BYTES} bytes.`);
      this.observer.called(name, error.code, 0);
      return Promise.reject(error);
    }
    const outbox = this.outbox(contract.name, operation);
    return new Promise((resolve, reject) => {
      const id = ++this.lastId;
      const deadlineAtMs = startedAtMs + remainingMs;
      const call: PendingCall = {
        id,
        operation: operation.name,
        outbox,
        body,
        bodyBytes,
        startedAtMs,
        deadlineAtMs,
        sentAtMs: undefined,
        whole,
        resolve,
        reject,
      };
      this.pending.set(id, call);
      this.deadlines.watch(deadlineAtMs);
      outbox.waiting.push(call);
      this.scheduleFlush();
    });
  }

  /** The operation of a call that may be tried. Throws an OperationError for one that may not. */
  private admitted(
    contract: ServiceContract,
    name: string,
    options: CallOptions,
    bytes: ByteStream | undefined,
  ): Operation {
    const operation = contract.operations[name];
    if (!operation || operation.bytes !== bytes) {
      throw new OperationError('INTERNAL', `The contract of ${contract.name} has no such call of ${name}.`);
    }
    const refusal = this.refusal(contract.name, operation, options);
    if (!refusal) return operation;
    this.observer.called(name, refusal.code, 0);
    throw refusal;
  }

  private refusal(service: string, operation: Operation, options: CallOptions): OperationError | undefined {
    if (operation.effect !== 'read' && options.idempotencyKey === undefined) {
      return new OperationError('INTERNAL', `${operation.name} writes; its call needs an idempotency key.`);
    }
    if (deadlineOf(operation, options) <= 0) return deadlineExceeded(operation.name);
    if (this.closing) return unavailable('This process is stopping.');
    if (this.broker.publishing.status === 'blocked') return unavailable('The broker takes no messages at the moment.');
    if (this.downSinceMs !== undefined && nowMs() - this.downSinceMs > HOLD_MS) {
      return unavailable(`The broker is away, so ${service} cannot be reached.`);
    }
    if (this.fullSinceMs !== undefined && nowMs() - this.fullSinceMs > STALL_MS) {
      return unavailable('The broker does not keep up.');
    }
    if (this.pending.size >= this.maxPending) return unavailable('Too many calls are waiting for their answers.');
    return undefined;
  }

  private streams(): StreamClient {
    this.streamClient ??= new StreamClient(this.broker, this.log, this.observer);
    return this.streamClient;
  }

  private outbox(service: string, operation: Operation): Outbox {
    const long = operation.lane === 'long';
    const queue = laneQueues(service, long ? 'long' : 'normal').requests;
    let outbox = this.outboxes.get(queue);
    if (!outbox) {
      outbox = { service, queue, long, waiting: [] };
      this.outboxes.set(queue, outbox);
    }
    return outbox;
  }

  // ---- sending

  private flush(): void {
    const channel = this.channel.current;
    if (!channel) return;
    if (this.broker.publishing.status === 'blocked') {
      this.shedUnsent('The broker takes no messages at the moment.');
      return;
    }
    for (const outbox of this.outboxes.values()) {
      if (this.fullSinceMs !== undefined) return;
      if (outbox.waiting.length > 0) this.send(outbox, channel);
    }
    this.observer.pending(this.pending.size);
  }

  private send(outbox: Outbox, channel: Channel): void {
    const { waiting } = outbox;
    const maxItems = outbox.long ? 1 : MAX_BATCH_ITEMS;
    const now = nowMs();
    let items: string[] = [];
    let bytes = 0;
    let index = 0;
    for (; index < waiting.length; index++) {
      const call = waiting[index] as PendingCall;
      const remainingMs = call.deadlineAtMs - now;
      if (remainingMs <= 0 || !this.pending.has(call.id)) continue;
      if (items.length > 0 && (items.length === maxItems || bytes + call.bodyBytes > MAX_BATCH_BYTES)) {
        this.publish(outbox, channel, items, now);
        items = [];
        bytes = 0;
        if (this.fullSinceMs !== undefined) break;
      }
      items.push(requestItem(call.id, remainingMs, 1, call.body));
      bytes += call.bodyBytes;
      call.sentAtMs = now;
    }
    if (items.length > 0) this.publish(outbox, channel, items, now);
    outbox.waiting = index < waiting.length ? waiting.slice(index) : [];
  }

  private publish(outbox: Outbox, channel: Channel, items: readonly string[], now: number): void {
    this.observer.batched('request', items.length);
    const content = encodeFrame(requestMessage(this.identity, now, items));
    try {
      if (!channel.publish('', outbox.queue, content, PUBLISH_OPTIONS)) this.fullSinceMs ??= now;
    } catch (error) {
      // The channel died under us; `lost` follows, and these calls are sent again.
      this.log.debug({ error }, 'Published on a closed channel');
    }
  }

  /** An empty message: the service answers nothing, and the broker returns it when the queue is gone. */
  private probe(): void {
    const channel = this.channel.current;
    if (!channel || this.pending.size === 0 || this.broker.publishing.status === 'blocked') return;
    const now = nowMs();
    const silent = new Set<Outbox>();
    for (const call of this.pending.values()) {
      if (now - call.startedAtMs < PROBE_AFTER_MS) break;
      if (call.sentAtMs !== undefined && !call.outbox.long) silent.add(call.outbox);
    }
    for (const outbox of silent) this.publish(outbox, channel, [], now);
  }

  // ---- receiving

  private async setup(channel: Channel): Promise<void> {
    channel.on('return', (message) => this.returned(message));
    await consumeReplies(channel, (message) => this.received(message));
  }

  private received(message: ConsumeMessage): void {
    let replies: readonly ReplyItem[];
    try {
      replies = readReplies(decodeFrame(message.content).json);
    } catch (error) {
      // Nobody but a server that got our reply address can send here; its other replies are good.
      this.log.error({ error }, 'A reply that cannot be read');
      return;
    }
    for (const reply of replies) this.answered(reply);
    this.observer.pending(this.pending.size);
  }

  private answered({ id, status, payload }: ReplyItem): void {
    const call = this.pending.get(id);
    // Given up at its deadline, or answered before: calls are sent again after a broken connection.
    if (!call) return;
    switch (status) {
      case ReplyStatus.ok:
      case ReplyStatus.replayed:
        this.settle(call, 'ok');
        call.resolve(call.whole ? { output: payload, replayed: status === ReplyStatus.replayed } : payload);
        return;
      case ReplyStatus.expired:
        if (call.deadlineAtMs - nowMs() > MISJUDGED_MS) {
          // One of the two hosts was suspended. Under another name the server reckons anew.
          this.identity = newIdentity();
          call.outbox.waiting.push(call);
          this.scheduleFlush();
          return;
        }
        this.fail(call, deadlineExceeded(call.operation));
        return;
      default:
        this.fail(call, OperationError.from(payload as ErrorValue));
    }
  }

  /** The broker knows no such queue: the service is not there, and what was sent to it before went with its queue. */
  private returned(message: Message): void {
    const outbox = this.outboxes.get(message.fields.routingKey);
    if (!outbox) return;
    const { sentAtMs, items } = readRequests(message.content);
    const error = unavailable(`${outbox.service} is not running.`);
    for (const item of items) {
      const call = this.pending.get(item.id);
      if (call) this.fail(call, error);
    }
    // A long operation may still be finished by a server that is stopping.
    if (outbox.long) return;
    for (const call of this.pending.values()) {
      if (call.outbox === outbox && call.sentAtMs !== undefined && call.sentAtMs <= sentAtMs) this.fail(call, error);
    }
  }

  // ---- losing and finding the channel

  private opened(): void {
    this.downSinceMs = undefined;
    this.fullSinceMs = undefined;
    this.scheduleFlush();
  }

  private lost(): void {
    if (this.downSinceMs !== undefined) return;
    this.downSinceMs = nowMs();
    this.fullSinceMs = undefined;
    setTimeout(() => {
      if (this.downSinceMs !== undefined) this.shedUnsent('The broker is away.');
    }, HOLD_MS).unref();
    // Replies come on the channel that published, so none will come any more: ask again. Writes are idempotent by their key.
    for (const outbox of this.outboxes.values()) outbox.waiting = [];
    for (const call of this.pending.values()) call.outbox.waiting.push(call);
  }

  private shedUnsent(reason: string): void {
    for (const outbox of this.outboxes.values()) {
      for (const call of outbox.waiting) {
        if (call.sentAtMs === undefined && this.pending.has(call.id)) this.fail(call, unavailable(reason));
      }
      outbox.waiting = outbox.waiting.filter((call) => this.pending.has(call.id));
    }
  }

  // ---- ending

  private sweep(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const call of this.pending.values()) {
      if (call.deadlineAtMs <= now) this.fail(call, deadlineExceeded(call.operation));
      else if (call.deadlineAtMs < next) next = call.deadlineAtMs;
    }
    return next;
  }

  private fail(call: PendingCall, error: OperationError): void {
    this.settle(call, error.code);
    call.reject(error);
  }

  private settle(call: PendingCall, outcome: 'ok' | ErrorCode): void {
    this.pending.delete(call.id);
    this.observer.called(call.operation, outcome, nowMs() - call.startedAtMs);
    if (this.whenIdle && this.pending.size === 0) this.whenIdle();
  }
}

function deadlineOf(operation: Operation, options: CallOptions): number {
  return options.deadlineMs ?? operation.deadlineMs ?? DEFAULT_DEADLINE_MS;
}

function newIdentity(): string {
  return randomBytes(9).toString('base64url');
}

function unavailable(message: string): OperationError {
  return new OperationError('UNAVAILABLE', `${message} Try again.`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function deadlineExceeded(operation: string): OperationError {
  return new OperationError('DEADLINE_EXCEEDED', `${operation} was not answered in time; repeat it with the same key.`);
}
