import { OperationError } from '@worktrack/contracts/errors';
import {
  type ByteStream,
  DEFAULT_DEADLINE_MS,
  type Operation,
  type ServiceContract,
  waitMsOf,
} from '@worktrack/contracts/operation';
import { RecoveringChannel } from './channel.ts';
import { Availability } from './client/availability.ts';
import { outgoingText } from './client/outgoing-text.ts';
import { type Destination, mayWait, type PendingCall, PendingCalls } from './client/pending-calls.ts';
import { QueueWatch } from './client/queue-watch.ts';
import { Replies } from './client/replies.ts';
import { RequestSender } from './client/request-sender.ts';
import { nowMs } from './clock.ts';
import type { Broker } from './connection.ts';
import { deadlineExceeded, unavailable } from './failures.ts';
import { consumeReplies } from './message/direct-reply.ts';
import type { RequestSigner } from './message/signature.ts';
import { type LaneName, laneQueues } from './queues.ts';
import { StreamClient } from './streams/stream-client.ts';
import type { CallOptions, Log, RpcObserver, ServiceClient } from './types.ts';

const DEFAULT_MAX_PENDING = 8_192;
/** Waiting calls: some kilobytes of memory each. */
const MAX_WAITING = 16_384;
/** RabbitMQ 4 rejects messages above 16 MiB by closing the channel. */
const MAX_INPUT_BYTES = 8 * 1024 * 1024;

export interface RpcClientOptions {
  readonly broker: Broker;
  /** By the names of the services that can be called. */
  readonly signers: Readonly<Record<string, RequestSigner>>;
  readonly log: Log;
  readonly observer: RpcObserver;
  /** Calls in progress across all services; more are refused with UNAVAILABLE. Waiting calls are not included. */
  readonly maxPending?: number;
}

export interface RpcClient {
  /** Throws if there is no signer for the service. */
  of<C extends ServiceContract>(contract: C): ServiceClient<C>;
  /** Refuses new calls, waits for those in progress (each has its deadline), and closes the channel. */
  close(): Promise<void>;
}

export function createRpcClient(options: RpcClientOptions): RpcClient {
  return new Client(options);
}

/** Admits calls, and assembles what sends them, waits for them and settles them. */
class Client implements RpcClient {
  readonly #broker: Broker;
  readonly #log: Log;
  readonly #observer: RpcObserver;
  readonly #signers: Readonly<Record<string, RequestSigner>>;
  readonly #maxPending: number;
  readonly #channel: RecoveringChannel;
  readonly #availability: Availability;
  readonly #pending: PendingCalls;
  readonly #sender: RequestSender;
  readonly #queueWatch: QueueWatch;
  readonly #destinations = new Map<string, Destination>();
  #streamClient: StreamClient | undefined;
  #isClosing = false;

  constructor({ broker, signers, log, observer, maxPending = DEFAULT_MAX_PENDING }: RpcClientOptions) {
    this.#broker = broker;
    this.#log = log;
    this.#observer = observer;
    this.#signers = signers;
    this.#maxPending = maxPending;
    this.#availability = new Availability(broker.publishing, () =>
      this.#sender.shedUnsent('The broker is unavailable.'),
    );
    this.#pending = new PendingCalls(observer);
    this.#channel = new RecoveringChannel(broker.publishing, {
      name: 'rpc client',
      setup: async (channel, model) => {
        this.#queueWatch.watchBy(model);
        channel.on('return', (message) => this.#queueWatch.returned(message));
        await consumeReplies(channel, (message) => replies.received(message));
      },
      opened: () => {
        this.#availability.opened();
        this.#sender.flush();
      },
      lost: () => this.#lost(),
      drained: () => {
        this.#availability.drained();
        this.#sender.flush();
      },
      unblocked: () => this.#sender.flush(),
    });
    this.#sender = new RequestSender({
      channel: this.#channel,
      pending: this.#pending,
      availability: this.#availability,
      log,
      observer,
    });
    this.#queueWatch = new QueueWatch(this.#pending, this.#sender, this.#availability, log);
    const replies = new Replies(this.#pending, this.#sender, this.#queueWatch, log, observer);
  }

  of<C extends ServiceContract>(contract: C): ServiceClient<C> {
    // Now rather than with the first call.
    this.#signerOf(contract.name);
    // The results have the types given by the contract.
    return {
      call: (name, input, options) => this.#start(contract, name, input, options, false) as never,
      exchange: (name, input, options) => this.#start(contract, name, input, options, true) as never,
      upload: async (name, input, bytes, options) => {
        const operation = this.#admitted(contract, name, options, 'up');
        return (await this.#streams().upload(
          this.#destination(contract.name, operation),
          operation,
          input,
          bytes,
          options,
        )) as never;
      },
      download: async (name, input, options) => {
        const operation = this.#admitted(contract, name, options, 'down');
        return (await this.#streams().download(
          this.#destination(contract.name, operation),
          operation,
          input,
          options,
        )) as never;
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    for (const call of this.#pending) if (mayWait(call)) this.#giveUp(call, 'This process is stopping.');
    await this.#pending.empty();
    await this.#streamClient?.close();
    this.#queueWatch.stop();
    await this.#channel.close();
  }

  #start(
    contract: ServiceContract,
    name: string,
    input: unknown,
    options: CallOptions,
    whole: boolean,
  ): Promise<unknown> {
    let operation: Operation;
    try {
      operation = this.#admitted(contract, name, options, undefined);
    } catch (error) {
      return Promise.reject(error);
    }
    const startedAtMs = nowMs();
    const trace = this.#observer.tracer?.outgoing(name, contract.name, options);
    const text = outgoingText(operation, input, options, trace);
    const bytes = Buffer.byteLength(text.caller) + Buffer.byteLength(text.body);
    if (bytes > MAX_INPUT_BYTES) {
      const error = new OperationError('PAYLOAD_TOO_LARGE', `The input must be at most ${MAX_INPUT_BYTES} bytes.`);
      this.#observer.called(name, error.code, 0, trace);
      return Promise.reject(error);
    }
    const waitMs = waitMsOf(operation, input);
    return new Promise((resolve, reject) => {
      const call = this.#pending.add({
        operation: operation.name,
        destination: this.#destination(contract.name, operation, waitMs > 0 ? 'waiting' : operation.lane),
        text,
        bytes,
        startedAtMs,
        deadlineAtMs: startedAtMs + waitMs + deadlineOf(operation, options),
        whole,
        trace,
        resolve,
        reject: (error) => {
          // The service may still be waiting. If it gave this reply itself, it no longer knows the call.
          if (waitMs > 0) this.#sender.abandon(call);
          reject(error);
        },
      });
      this.#sender.send(call);
      if (waitMs > 0) this.#endBy(options.signal, call);
    });
  }

  #endBy(signal: AbortSignal | undefined, call: PendingCall): void {
    const giveUp = () => this.#giveUp(call, 'The wait was ended.');
    if (signal?.aborted) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
  }

  #giveUp(call: PendingCall, why: string): void {
    if (this.#pending.get(call.id) === call) this.#pending.fail(call, unavailable(why));
  }

  /** The operation of an admissible call. Throws an OperationError if the call is not. */
  #admitted(contract: ServiceContract, name: string, options: CallOptions, bytes: ByteStream | undefined): Operation {
    const operation = contract.operations[name];
    if (!operation || operation.bytes !== bytes) {
      throw new OperationError('INTERNAL', `The contract of ${contract.name} has no such call of ${name}.`);
    }
    const refusal = this.#refusal(contract.name, operation, options);
    if (!refusal) return operation;
    this.#observer.called(name, refusal.code, 0);
    throw refusal;
  }

  #refusal(service: string, operation: Operation, options: CallOptions): OperationError | undefined {
    if (operation.effect !== 'read' && options.idempotencyKey === undefined) {
      return new OperationError('INTERNAL', `${operation.name} writes; its call needs an idempotency key.`);
    }
    if (deadlineOf(operation, options) <= 0) return deadlineExceeded(operation.name);
    if (this.#isClosing) return unavailable('This process is stopping.');
    const refusal = this.#availability.refusal(service);
    if (refusal) return refusal;
    if (this.#pending.underWay >= this.#maxPending || this.#pending.waiting >= MAX_WAITING)
      return unavailable('Too many calls are waiting for replies.');
    return undefined;
  }

  #streams(): StreamClient {
    this.#streamClient ??= new StreamClient(this.#broker, this.#log, this.#observer);
    return this.#streamClient;
  }

  #destination(service: string, operation: Operation, lane: LaneName = operation.lane ?? 'normal'): Destination {
    const queue = laneQueues(service, lane, 1).requests;
    let destination = this.#destinations.get(queue);
    if (!destination) {
      destination = {
        service,
        queue,
        generation: 1,
        misses: 0,
        movesUntilMs: 0,
        downGeneration: undefined,
        signer: this.#signerOf(service),
        lane,
      };
      this.#destinations.set(queue, destination);
    }
    return destination;
  }

  #signerOf(service: string): RequestSigner {
    const signer = this.#signers[service];
    if (!signer) throw new Error(`This process has no key for requests to ${service}.`);
    return signer;
  }

  #lost(): void {
    const wasDown = this.#availability.isDown;
    this.#availability.lost();
    if (!wasDown) this.#sender.resendAll();
  }
}

function deadlineOf(operation: Operation, options: CallOptions): number {
  return options.deadlineMs ?? operation.deadlineMs ?? DEFAULT_DEADLINE_MS;
}
