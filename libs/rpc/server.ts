import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceContract } from '@worktrack/contracts/operation';
import { nowMs, WaitEstimator } from './clock.ts';
import type { Broker } from './connection.ts';
import type { RequestMessage } from './message/envelope.ts';
import type { RequestSigner } from './message/signature.ts';
import type { LaneName } from './queues.ts';
import { CallRunner } from './server/call-runner.ts';
import type { Delivery, Item } from './server/delivery.ts';
import { type Endpoint, endpointsOf } from './server/endpoint.ts';
import { LaneConsumer } from './server/lane-consumer.ts';
import { OpenItems } from './server/open-items.ts';
import { ReplySender } from './server/reply-sender.ts';
import { Retries } from './server/retries.ts';
import { StreamServer } from './server/stream-server.ts';
import { WaitingCalls } from './server/waiting-calls.ts';
import type { Log, RpcHandlers, RpcObserver } from './types.ts';

/** Messages of up to 64 items each; the next ones are already here when one is done. */
const DEFAULT_PREFETCH = 8;
/** A shutdown waits this long for work in progress; anything unfinished is delivered to another replica. */
const STOP_TIMEOUT_MS = 20_000;

export interface RpcServerOptions<C extends ServiceContract> {
  readonly broker: Broker;
  readonly contract: C;
  readonly handlers: RpcHandlers<C>;
  /** For this service: requests that it did not sign are not run. */
  readonly signer: RequestSigner;
  readonly log: Log;
  readonly observer: RpcObserver;
  /** Messages in progress per lane. */
  readonly prefetch?: number;
  /** For the long lane, if different: its messages are single calls, many of which can be in progress if they wait rather than compute. */
  readonly longPrefetch?: number;
}

export interface RpcServer {
  /** Accepts no more calls, answers those in progress, and closes the channels. */
  stop(): Promise<void>;
}

/** Serves the calls of a contract. Resolves once the service can be called. */
export async function serveRpc<C extends ServiceContract>(options: RpcServerOptions<C>): Promise<RpcServer> {
  const server = new Server(options, endpointsOf(options.contract, options.handlers));
  await server.ready;
  return server;
}

/** Assembles what receives messages, runs their items and answers them. */
class Server implements RpcServer {
  readonly ready: Promise<unknown>;

  readonly #replies: ReplySender;
  readonly #streams: StreamServer | undefined;
  readonly #open: OpenItems;
  readonly #runner: CallRunner;
  readonly #retries: Retries;
  readonly #lanes: readonly LaneConsumer[];
  readonly #waiting: WaitingCalls | undefined;
  readonly #waits = new WaitEstimator();

  constructor(options: Omit<RpcServerOptions<ServiceContract>, 'handlers'>, endpoints: ReadonlyMap<string, Endpoint>) {
    const { broker, contract, signer, log, observer, prefetch = DEFAULT_PREFETCH, longPrefetch = prefetch } = options;
    const operations = [...endpoints.values()].map(({ operation }) => operation);
    this.#replies = new ReplySender(broker, observer);
    if (operations.some(({ bytes }) => bytes)) this.#streams = new StreamServer(broker, log, observer);
    this.#open = new OpenItems(this.#replies, observer, true);
    this.#runner = new CallRunner({
      service: contract.name,
      endpoints,
      open: this.#open,
      streams: this.#streams,
      log,
      tracer: observer.tracer,
    });
    this.#retries = new Retries({ endpoints, open: this.#open, signer, log, observer });
    const lanes = new Set<LaneName>(operations.map(({ lane }) => lane ?? 'normal'));
    const consumes = { broker, replies: this.#replies, service: contract.name, signer, log, observer };
    this.#lanes = [...lanes].map(
      (lane) =>
        new LaneConsumer({
          ...consumes,
          lane,
          prefetch: lane === 'long' ? longPrefetch : prefetch,
          received: (request, delivery, redelivered) => this.#received(request, delivery, redelivered),
        }),
    );
    if (operations.some(({ waitField }) => waitField)) {
      this.#waiting = new WaitingCalls({
        consumes,
        endpoints,
        replies: this.#replies,
        waits: this.#waits,
      });
    }
    this.ready = Promise.all([
      this.#replies.ready,
      this.#streams?.ready,
      this.#waiting?.ready,
      ...this.#lanes.map(({ ready }) => ready),
    ]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#waiting?.stop(), ...this.#lanes.map((lane) => lane.cancel())]);
    await Promise.race([this.#open.idle(), sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    await this.#streams?.close(STOP_TIMEOUT_MS);
    await this.#replies.close(STOP_TIMEOUT_MS);
    await Promise.all(this.#lanes.map((lane) => lane.close()));
    this.#open.stop();
  }

  #received({ client, sentAtMs, items }: RequestMessage, delivery: Delivery, redelivered: boolean): void {
    const receivedAtMs = nowMs();
    const waitedMs = this.#waits.waitedMs(client, sentAtMs, receivedAtMs);
    this.#open.begin(delivery);
    const calls = items.map<Item>((request) => ({
      request,
      delivery,
      startedAtMs: receivedAtMs,
      deadlineAtMs: receivedAtMs + request.remainingMs - waitedMs,
      id: 0,
      isClosed: false,
      trace: undefined,
    }));
    if (redelivered) for (const item of calls) this.#retries.retry(item);
    else this.#runner.run(calls);
  }
}
