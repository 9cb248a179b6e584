import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ErrorValue, OperationError } from '@worktrack/contracts/errors';
import { DEFAULT_DEADLINE_MS, type Operation } from '@worktrack/contracts/operation';
import type { ConsumeMessage, Message } from 'amqplib';
import { RecoveringChannel } from '../channel.ts';
import { outgoingText } from '../client/outgoing-text.ts';
import type { Destination } from '../client/pending-calls.ts';
import { nowMs } from '../clock.ts';
import type { Broker } from '../connection.ts';
import { unavailable } from '../failures.ts';
import { consumeReplies, DIRECT_REPLY_TO, isReplyAddress } from '../message/direct-reply.ts';
import { encodeRequests, ReplyStatus, readReplies, readRequests } from '../message/envelope.ts';
import type { CallOptions, CallTrace, Log, Outcome, Reply, RpcObserver } from '../types.ts';
import {
  CHUNK_BYTES,
  decodeStreamFrame,
  encodeStreamFrame,
  Inlet,
  interrupted,
  Outlet,
  type StreamFrame,
  silent,
  within,
} from './streams.ts';

/** Each may hold a window of chunks. */
const MAX_TRANSFERS = 128;

/** A call with its bytes, from the caller's side. */
class Transfer {
  readonly id: number;
  readonly silenceMs: number;
  readonly inlet: Inlet;
  readonly outlet: Outlet;
  /** The result: a download's output comes before its bytes, an upload's after them. */
  readonly answer = Promise.withResolvers<Reply<unknown>>();
  /** An upload may begin. */
  readonly opened = Promise.withResolvers<void>();
  readonly ended = Promise.withResolvers<Outcome>();
  /** The server's, once it has replied. */
  #address: string | undefined;
  #over = false;
  readonly #publish: (address: string, content: Buffer) => void;

  constructor(id: number, silenceMs: number, publish: (address: string, content: Buffer) => void) {
    this.id = id;
    this.silenceMs = silenceMs;
    this.#publish = publish;
    this.inlet = new Inlet(
      silenceMs,
      (chunks) => this.#send([id, 'credit', chunks]),
      () => this.leave(interrupted()),
    );
    this.outlet = new Outlet(silenceMs, (kind, index, bytes) => this.#send([id, kind, index], bytes));
    // Anybody waiting sees the rejection; a transfer may also fail when nobody is.
    this.answer.promise.catch(() => {});
    this.opened.promise.catch(() => {});
  }

  received(frame: StreamFrame, bytes: Buffer, address: string): void {
    this.#address = address;
    switch (frame[1]) {
      case 'open':
        this.opened.resolve();
        break;
      case 'head':
        this.answer.resolve({ output: frame[2], replayed: false });
        break;
      case 'data':
        this.inlet.push(frame[2], bytes);
        break;
      case 'end':
        this.inlet.end(frame[2]);
        this.#finish('ok');
        break;
      case 'credit':
        this.outlet.grant(frame[2]);
        break;
      case 'done':
        this.answer.resolve({ output: frame[2], replayed: frame[3] });
        // The handler may have needed no more before the last byte.
        this.outlet.stop(interrupted());
        this.#finish('ok');
        break;
      case 'abort':
        this.fail(OperationError.from(frame[2]));
    }
  }

  /** The other side has failed, or is gone. */
  fail(error: OperationError): void {
    this.answer.reject(error);
    this.opened.reject(error);
    this.inlet.fail(error);
    this.outlet.stop(error);
    this.#finish(error.code);
  }

  /** This side gives up: the server's handler need not continue. */
  leave(error: OperationError): void {
    if (this.#over) return;
    try {
      this.#send([this.id, 'abort', error.toValue()]);
    } catch {
      // The channel is gone, and silence ends the server's transfer.
    }
    this.fail(error);
  }

  #send(frame: StreamFrame, bytes?: Uint8Array): void {
    if (this.#address) this.#publish(this.#address, encodeStreamFrame(frame, bytes));
  }

  #finish(outcome: Outcome): void {
    this.#over = true;
    this.ended.resolve(outcome);
  }
}

/** The client ends of all of a process's byte streams, on their own connection: calls do not queue behind chunks. */
export class StreamClient {
  readonly #log: Log;
  readonly #observer: RpcObserver;
  readonly #channel: RecoveringChannel;
  readonly #identity = randomBytes(9).toString('base64url');
  readonly #transfers = new Map<number, Transfer>();
  #lastId = 0;
  #whenIdle: (() => void) | undefined;

  constructor(broker: Broker, log: Log, observer: RpcObserver) {
    this.#log = log;
    this.#observer = observer;
    this.#channel = new RecoveringChannel(broker.streaming, {
      name: 'rpc streams',
      setup: async (channel) => {
        channel.on('return', (message) => this.#returned(message));
        await consumeReplies(channel, (message) => this.#received(message));
      },
      lost: () => {
        for (const transfer of this.#transfers.values()) transfer.fail(interrupted());
      },
    });
  }

  async upload(
    destination: Destination,
    operation: Operation,
    input: unknown,
    bytes: AsyncIterable<Uint8Array>,
    options: CallOptions,
  ): Promise<Reply<unknown>> {
    const transfer = await this.#open(destination, operation, input, options);
    const late = () => silent(destination.service);
    try {
      await within(transfer.opened.promise, transfer.silenceMs, late);
      await transfer.outlet.pump(bytes);
    } catch (error) {
      transfer.leave(error instanceof OperationError ? error : brokenSource(error));
    }
    return await within(transfer.answer.promise, transfer.silenceMs, late).catch((error) => {
      transfer.leave(error);
      throw error;
    });
  }

  async download(
    destination: Destination,
    operation: Operation,
    input: unknown,
    options: CallOptions,
  ): Promise<{ output: unknown; bytes: Readable }> {
    const transfer = await this.#open(destination, operation, input, options);
    try {
      const { output } = await within(transfer.answer.promise, transfer.silenceMs, () => silent(destination.service));
      const bytes = Readable.from(transfer.inlet, { objectMode: false, highWaterMark: CHUNK_BYTES });
      // Destroyed before it was read at all, it does not even call the inlet's return.
      bytes.once('close', () => transfer.leave(interrupted()));
      return { output, bytes };
    } catch (error) {
      transfer.leave(error as OperationError);
      throw error;
    }
  }

  /** Waits for the transfers in progress and closes the channel. */
  async close(): Promise<void> {
    if (this.#transfers.size > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    await this.#channel.close();
  }

  async #open(destination: Destination, operation: Operation, input: unknown, options: CallOptions): Promise<Transfer> {
    const silenceMs = options.deadlineMs ?? operation.deadlineMs ?? DEFAULT_DEADLINE_MS;
    if (this.#transfers.size >= MAX_TRANSFERS) {
      throw unavailable('Too many transfers are in progress.');
    }
    await within(this.#channel.ready, silenceMs, interrupted);
    const trace = this.#observer.tracer?.outgoing(operation.name, destination.service, options);
    const call = outgoingText(operation, input, options, trace);
    const transfer = new Transfer(++this.#lastId, silenceMs, (address, content) => this.#publish(address, content));
    const item = { id: transfer.id, remainingMs: silenceMs, attempt: 1, call };
    const content = encodeRequests(destination.signer, this.#identity, nowMs(), [item]);
    this.#publish(destination.queue, content, true);
    this.#track(transfer, operation.name, trace);
    return transfer;
  }

  #track(transfer: Transfer, operation: string, trace: CallTrace | undefined): void {
    const startedAtMs = nowMs();
    this.#transfers.set(transfer.id, transfer);
    void transfer.ended.promise.then((outcome) => {
      this.#transfers.delete(transfer.id);
      this.#observer.called(operation, outcome, nowMs() - startedAtMs, trace);
      if (this.#transfers.size === 0) this.#whenIdle?.();
    });
  }

  #publish(address: string, content: Buffer, mandatory = false): void {
    const channel = this.#channel.current;
    if (!channel) throw interrupted();
    // Never more than the window of each transfer is in the write buffer, so its state does not matter here.
    channel.publish('', address, content, { mandatory, replyTo: DIRECT_REPLY_TO });
  }

  #received(message: ConsumeMessage): void {
    try {
      const { json, frame, bytes } = decodeStreamFrame(message.content);
      if (!frame) {
        // Not admitted, or not started: the reply is like any other call's.
        for (const { id, status, payload } of readReplies(json)) {
          const error = status === ReplyStatus.failed ? OperationError.from(payload as ErrorValue) : interrupted();
          this.#transfers.get(id)?.fail(error);
        }
        return;
      }
      const { replyTo } = message.properties;
      if (!isReplyAddress(replyTo)) throw new Error('a stream frame without the address of its sender');
      this.#transfers.get(frame[0])?.received(frame, bytes, replyTo);
    } catch (error) {
      this.#log.error({ error }, 'A stream frame could not be read');
    }
  }

  #returned(message: Message): void {
    const service = message.fields.routingKey;
    for (const { id } of readRequests(message.content).items) {
      this.#transfers.get(id)?.fail(unavailable(`${service.replace(/^rpc\./, '')} is not running.`));
    }
  }
}

/** The error of the caller's own source. The caller knows best what it means, and it does not concern the service. */
function brokenSource(cause: unknown): OperationError {
  const error = new OperationError('UNAVAILABLE', 'The bytes could not be read to the end.');
  error.cause = cause;
  return error;
}
