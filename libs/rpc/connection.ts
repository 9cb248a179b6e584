import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChannelModel, connect } from 'amqplib';
import { gatherWrites } from './gather-writes.ts';
import { Reminders } from './reminders.ts';
import type { Log } from './types.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
const DEFAULT_HEARTBEAT_SECONDS = 5;
const FIRST_RETRY_MS = 100;
/** Short, since calls and events wait for the broker's return: the log should report it within a second. */
const LONGEST_RETRY_MS = 500;

/** `blocked`: the broker is short of memory or disk and blocks publishers (`connection.blocked`). */
export type ConnectionStatus = 'connecting' | 'open' | 'blocked' | 'closed';

export interface BrokerOptions {
  /**
   * `amqp://user:password@host:port/vhost`, or `amqps:`; for a cluster, the URLs of its nodes, separated by commas. A lost connection
   * moves to the next one.
   */
  readonly url: string;
  /** Shown in the broker's list of connections. */
  readonly name: string;
  readonly log: Log;
  /** A silent peer is considered dead after two to three of these. */
  readonly heartbeatSeconds?: number;
  /** For a process that has something to do meanwhile: then `connectBroker` does not wait, and `publishing.opened` does. */
  readonly inBackground?: boolean;
  /** Ends the wait for the first connection. */
  readonly signal?: AbortSignal;
}

/** The connections of one process. Publishing and consuming are separate: a broker that blocks publishers must still accept our acknowledgements. */
export interface Broker {
  readonly publishing: RecoveringConnection;
  /** Opened on first use: a process that only calls has none. */
  readonly consuming: RecoveringConnection;
  /** For byte streams, opened on first use. What a connection carries waits in one line, whatever its channel: calls would wait behind the files of others. */
  readonly streaming: RecoveringConnection;
  /** `ready` once every connection in use is open but the one for byte streams, without which calls go on. */
  state(): { readonly ready: boolean; readonly publishing: ConnectionStatus; readonly consuming?: ConnectionStatus };
  /** For readiness, a sentence for whoever operates it; undefined if it is ready. */
  problem(): string | undefined;
  close(): Promise<void>;
}

/** Resolves with the first connection, however long that takes, unless it is made in the background; meanwhile the log says what is missing. */
export async function connectBroker(options: BrokerOptions): Promise<Broker> {
  const publishing = new RecoveringConnection(options, 'publish');
  let consuming: RecoveringConnection | undefined;
  let streaming: RecoveringConnection | undefined;
  try {
    if (!options.inBackground) await publishing.opened;
  } catch (error) {
    await publishing.close();
    throw error;
  }
  function problem(): string | undefined {
    const statuses = [publishing.status, consuming?.status ?? 'open'];
    if (statuses.includes('blocked')) return 'The broker takes no messages: it is short of memory or disk.';
    return statuses.every((status) => status === 'open') ? undefined : 'There is no connection.';
  }
  return {
    publishing,
    get consuming() {
      consuming ??= new RecoveringConnection(options, 'consume');
      return consuming;
    },
    get streaming() {
      streaming ??= new RecoveringConnection(options, 'stream');
      return streaming;
    },
    state() {
      return {
        ready: problem() === undefined,
        publishing: publishing.status,
        ...(consuming && { consuming: consuming.status }),
      };
    },
    problem,
    async close() {
      // The consuming one first: its last acknowledgements belong to replies sent over the other.
      await consuming?.close();
      await Promise.all([streaming?.close(), publishing.close()]);
    },
  };
}

export interface ConnectionListener {
  /** Called at once if the connection is already open, and after every recovery. */
  opened(model: ChannelModel): void;
  lost(): void;
  unblocked(): void;
}

/** One AMQP connection that recovers on its own until it is closed. */
export class RecoveringConnection {
  status: ConnectionStatus = 'connecting';
  /** Settles with the first connection; rejects only if the wait for it is aborted. */
  readonly opened: Promise<void>;
  readonly log: Log;

  readonly #options: BrokerOptions;
  readonly #title: string;
  readonly #listeners = new Set<ConnectionListener>();
  readonly #stopping = new AbortController();
  readonly #run: Promise<void>;
  #model: ChannelModel | undefined;
  readonly #urls: readonly string[];
  #attempts: number;

  constructor(options: BrokerOptions, purpose: 'publish' | 'consume' | 'stream') {
    this.#options = options;
    this.#urls = options.url.split(',').map((url) => url.trim());
    // Spreads the processes of a fleet over the nodes.
    this.#attempts = Math.floor(Math.random() * this.#urls.length);
    this.#title = `${options.name} ${purpose}`;
    this.log = options.log.child({ connection: purpose });
    const first = Promise.withResolvers<void>();
    this.opened = first.promise;
    // Anybody waiting sees the rejection; without this, an abort that nobody waits for would end the process.
    this.opened.catch(() => {});
    options.signal?.addEventListener('abort', () => this.#stopping.abort(options.signal?.reason), { once: true });
    this.#run = this.#keepOpen(first.resolve).catch(first.reject);
  }

  listen(listener: ConnectionListener): void {
    this.#listeners.add(listener);
    if (this.#model) listener.opened(this.#model);
  }

  unlisten(listener: ConnectionListener): void {
    this.#listeners.delete(listener);
  }

  /** While it is open. */
  get model(): ChannelModel | undefined {
    return this.#model;
  }

  async close(): Promise<void> {
    this.#stopping.abort(new Error('The connection was closed.'));
    const model = this.#model;
    if (model) {
      // A frozen broker never confirms the close.
      await Promise.race([
        model.close().catch(() => {}),
        sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false }),
        this.#run,
      ]);
      destroySocket(model);
    }
    await this.#run;
    this.status = 'closed';
  }

  async #keepOpen(firstOpened: () => void): Promise<void> {
    let failures = 0;
    const reminders = new Reminders();
    while (!this.#stopping.signal.aborted) {
      try {
        const model = await this.#connect();
        if (failures > 0) this.log.info({ failures }, 'Connected to the broker');
        failures = 0;
        reminders.restart();
        await this.#serve(model, firstOpened);
      } catch (error) {
        if (this.#stopping.signal.aborted) break;
        failures++;
        if (reminders.isDue()) this.log.warn({ error, failures }, 'Waiting for the broker');
        await sleep(retryDelayMs(failures), undefined, { signal: this.#stopping.signal }).catch(() => {});
      }
    }
    this.status = 'closed';
    this.#stopping.signal.throwIfAborted();
  }

  async #connect(): Promise<ChannelModel> {
    const url = new URL(this.#urls[this.#attempts++ % this.#urls.length] as string);
    url.searchParams.set('heartbeat', String(this.#options.heartbeatSeconds ?? DEFAULT_HEARTBEAT_SECONDS));
    const model = await connect(url.href, {
      // Nagle's algorithm combined with delayed acknowledgements costs 41 ms per call.
      noDelay: true,
      keepAlive: true,
      timeout: CONNECT_TIMEOUT_MS,
      clientProperties: { connection_name: this.#title },
    });
    // What came along with the end of the handshake has been handled by now, before anybody could listen: a close as well.
    if (socketOf(model).writableEnded) {
      destroySocket(model);
      throw new Error('The broker closed the connection as soon as it was open.');
    }
    // A message's head, its body and each acknowledgement are written separately: a tenth of the CPU of a batched call.
    gatherWrites(socketOf(model), process.nextTick);
    model.on('error', (error) => this.log.warn({ error }, 'The connection to the broker failed'));
    model.on('handler-error', (error, event) => this.log.error({ error, event }, 'A connection listener threw'));
    return model;
  }

  /** Resolves when the connection has ended. */
  async #serve(model: ChannelModel, firstOpened: () => void): Promise<void> {
    const closed = new Promise<Error | undefined>((resolve) => model.once('close', resolve));
    model.on('blocked', (reason) => {
      this.status = 'blocked';
      this.log.warn({ reason }, 'The broker blocks publishing');
    });
    model.on('unblocked', () => {
      this.status = 'open';
      this.log.info({}, 'The broker accepts messages again');
      for (const listener of this.#listeners) listener.unblocked();
    });
    this.#model = model;
    this.status = 'open';
    if (this.#stopping.signal.aborted) await model.close().catch(() => {});
    else {
      firstOpened();
      for (const listener of this.#listeners) listener.opened(model);
    }
    const error = await closed;
    this.#model = undefined;
    this.status = 'connecting';
    destroySocket(model);
    for (const listener of this.#listeners) listener.lost();
    if (!this.#stopping.signal.aborted) throw error ?? new Error('The broker closed the connection.');
  }
}

/** amqplib closes only its half of the socket; a frozen or disconnected peer would keep the other half, and this process, alive. */
function destroySocket(model: ChannelModel): void {
  socketOf(model).destroy();
}

function socketOf(model: ChannelModel): Socket {
  return (model.connection as unknown as { readonly stream: Socket }).stream;
}

/** Exponential, half of it random, so that the processes of a fleet do not come back in step. */
export function retryDelayMs(failures: number, longestMs = LONGEST_RETRY_MS): number {
  const limit = Math.min(longestMs, FIRST_RETRY_MS * 2 ** (failures - 1));
  return limit / 2 + (Math.random() * limit) / 2;
}
