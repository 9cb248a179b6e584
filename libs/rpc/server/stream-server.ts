import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumeMessage } from 'amqplib';
import { RecoveringChannel } from '../channel.ts';
import { nowMs } from '../clock.ts';
import type { Broker } from '../connection.ts';
import { unavailable } from '../failures.ts';
import { consumeReplies, DIRECT_REPLY_TO, isReplyAddress } from '../message/direct-reply.ts';
import type { RequestItem } from '../message/envelope.ts';
import {
  decodeStreamFrame,
  encodeStreamFrame,
  Inlet,
  interrupted,
  Outlet,
  type StreamFrame,
} from '../streams/streams.ts';
import type { Log, Outcome, RpcObserver, ServedTrace } from '../types.ts';
import type { Item } from './delivery.ts';
import { contextOf, type Endpoint, failureOf } from './endpoint.ts';

/** Each may hold a window of chunks. */
const MAX_TRANSFERS = 64;
/** Of one organization, whichever gateways they come through. */
const MAX_TRANSFERS_PER_ORGANIZATION = MAX_TRANSFERS / 2;

/** A call with its bytes, from the handler's side. */
class Transfer {
  readonly id: number;
  /** The client's. */
  readonly address: string;
  readonly organizationId: string | undefined;
  readonly inlet: Inlet;
  readonly outlet: Outlet;
  readonly #publish: (address: string, content: Buffer) => void;

  constructor(request: RequestItem, address: string, publish: (address: string, content: Buffer) => void) {
    this.id = request.id;
    this.address = address;
    this.organizationId = request.caller?.organizationId;
    this.#publish = publish;
    this.inlet = new Inlet(request.remainingMs, (chunks) => this.send([this.id, 'credit', chunks]));
    this.outlet = new Outlet(request.remainingMs, (kind, index, bytes) => this.send([this.id, kind, index], bytes));
  }

  get key(): string {
    return transferKey(this.address, this.id);
  }

  send(frame: StreamFrame, bytes?: Uint8Array): void {
    this.#publish(this.address, encodeStreamFrame(frame, bytes));
  }

  received(frame: StreamFrame, bytes: Buffer): void {
    switch (frame[1]) {
      case 'data':
        this.inlet.push(frame[2], bytes);
        break;
      case 'end':
        this.inlet.end(frame[2]);
        break;
      case 'credit':
        this.outlet.grant(frame[2]);
        break;
      case 'abort':
        this.interrupt();
    }
  }

  interrupt(): void {
    this.inlet.fail(interrupted());
    this.outlet.stop(interrupted());
  }
}

/** The server ends of a service's byte streams. */
export class StreamServer {
  readonly #log: Log;
  readonly #observer: RpcObserver;
  readonly #channel: RecoveringChannel;
  readonly #transfers = new Map<string, Transfer>();
  #whenIdle: (() => void) | undefined;

  constructor(broker: Broker, log: Log, observer: RpcObserver) {
    this.#log = log;
    this.#observer = observer;
    this.#channel = new RecoveringChannel(broker.streaming, {
      name: 'rpc streams',
      // Clients send data and credit to the address that the broker assigns to this channel.
      setup: async (channel) => {
        await consumeReplies(channel, (message) => this.#received(message));
      },
      lost: () => {
        for (const transfer of this.#transfers.values()) transfer.interrupt();
      },
    });
  }

  get ready(): Promise<void> {
    return this.#channel.ready;
  }

  /** Runs the handler of an admitted call, and replies. Throws if the call cannot even be started. */
  start({ request, delivery, trace }: Item, endpoint: Endpoint, input: unknown): void {
    const transfer = new Transfer(request, delivery.replyTo, (to, content) => this.#publish(to, content));
    const ofOrganization = [...this.#transfers.values()].filter((of) => of.organizationId === transfer.organizationId);
    if (this.#transfers.size >= MAX_TRANSFERS || ofOrganization.length >= MAX_TRANSFERS_PER_ORGANIZATION) {
      throw unavailable('Too many transfers are in progress.');
    }
    this.#transfers.set(transfer.key, transfer);
    const run = () => this.#run(transfer, endpoint, request, input, trace);
    void (trace ? trace.run(run) : run());
  }

  /** Waits for the transfers in progress, at most `timeoutMs`, and closes the channel. */
  async close(timeoutMs: number): Promise<void> {
    if (this.#transfers.size > 0) {
      const idle = new Promise<void>((resolve) => (this.#whenIdle = resolve));
      await Promise.race([idle, sleep(timeoutMs, undefined, { ref: false })]);
    }
    await this.#channel.close();
  }

  async #run(
    transfer: Transfer,
    endpoint: Endpoint,
    request: RequestItem,
    input: unknown,
    trace: ServedTrace | undefined,
  ): Promise<void> {
    const { id } = transfer;
    const { handler, operation } = endpoint;
    const startedAtMs = nowMs();
    let outcome: Outcome = 'ok';
    try {
      const context = contextOf(request, request.remainingMs, this.#log);
      if ('upload' in handler) {
        transfer.send([id, 'open']);
        const { output, replayed } = await handler.upload(input, transfer.inlet, context);
        transfer.send([id, 'done', output ?? null, replayed]);
      } else if ('download' in handler) {
        const { output, bytes } = await handler.download(input, context);
        transfer.send([id, 'head', output ?? null]);
        await transfer.outlet.pump(bytes);
      }
    } catch (error) {
      const failure = failureOf(endpoint, error, request.body[1], this.#log);
      outcome = failure.code;
      this.#abort(transfer, failure);
    }
    transfer.interrupt();
    this.#transfers.delete(transfer.key);
    this.#observer.handled(operation.name, outcome, nowMs() - startedAtMs, trace);
    if (this.#transfers.size === 0) this.#whenIdle?.();
  }

  #abort(transfer: Transfer, failure: ReturnType<typeof failureOf>): void {
    try {
      transfer.send([transfer.id, 'abort', failure]);
    } catch {
      // The channel is gone, and silence ends the client's transfer.
    }
  }

  #publish(address: string, content: Buffer): void {
    const channel = this.#channel.current;
    if (!channel) throw interrupted();
    // Never more than the window of each transfer is in the write buffer, so its state does not matter here.
    channel.publish('', address, content, { replyTo: DIRECT_REPLY_TO });
  }

  #received(message: ConsumeMessage): void {
    try {
      const { replyTo } = message.properties;
      const { frame, bytes } = decodeStreamFrame(message.content);
      if (!frame || !isReplyAddress(replyTo)) throw new Error('not a stream frame');
      // By the sender's address, which the broker vouches for: nobody can interfere in another client's transfer.
      this.#transfers.get(transferKey(replyTo, frame[0]))?.received(frame, bytes);
    } catch (error) {
      this.#log.error({ error }, 'A stream frame could not be read');
    }
  }
}

const transferKey = (address: string, id: number) => `${address} ${id}`;
