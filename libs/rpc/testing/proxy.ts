import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { withLateDeclarations } from './unanswered.ts';

interface Trap {
  bytes?: string;
  caught?: ((arrive: () => Promise<void>) => void) | undefined;
}

interface Loss {
  bytes?: string;
  lost?: (() => void) | undefined;
}

/** A network between a process and a server that a test can cut. */
export class TestProxy {
  /** The broker's, through this proxy. */
  readonly url: string;
  /** New connections are refused while it is down. */
  #down = false;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  readonly #trap: Trap;
  readonly #loss: Loss;
  readonly #unanswered: Set<string>;
  readonly #slowness: { ms: number };

  private constructor(
    url: string,
    server: Server,
    sockets: Set<Socket>,
    trap: Trap,
    loss: Loss,
    unanswered: Set<string>,
    slowness: { ms: number },
  ) {
    this.url = url;
    this.#server = server;
    this.#sockets = sockets;
    this.#trap = trap;
    this.#loss = loss;
    this.#unanswered = unanswered;
    this.#slowness = slowness;
    server.on('connection', (socket: Socket) => {
      if (this.#down) socket.destroy();
    });
  }

  static async to(brokerUrl: string): Promise<TestProxy> {
    const target = new URL(brokerUrl);
    const sockets = new Set<Socket>();
    const trap: Trap = {};
    const loss: Loss = {};
    const unanswered = new Set<string>();
    const slowness = { ms: 0 };
    const lateMs = (queue: string) => (unanswered.has(queue) ? Number.POSITIVE_INFINITY : slowness.ms);
    const track = (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {});
    };
    const server = createServer((near) => {
      const far = connect(Number(target.port || 5672), target.hostname);
      for (const socket of [near, far]) track(socket);
      let isSilent = false;
      const forward = new Transform({
        transform(chunk: Buffer, _encoding, pass) {
          if (loss.lost && chunk.includes(loss.bytes ?? '')) {
            const { lost } = loss;
            loss.lost = undefined;
            far.unpipe(near).once('data', () => {
              near.destroy();
              lost();
            });
            far.resume();
          }
          if (!trap.caught || !chunk.includes(trap.bytes ?? '')) return pass(null, chunk);
          isSilent = true;
          trap.caught(async () => {
            pass(null, chunk);
            // For a client that gave up and closed, it is paused.
            await once(far.resume(), 'data');
          });
          trap.caught = undefined;
        },
      });
      const isBroker = target.protocol === 'amqp:';
      const sent = isBroker ? near.pipe(withLateDeclarations(lateMs)) : near;
      sent.pipe(forward).pipe(far);
      far.pipe(near);
      near.on('close', () => {
        if (!isSilent) far.destroy();
      });
      far.on('close', () => near.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(brokerUrl);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    return new TestProxy(url.href, server, sockets, trap, loss, unanswered, slowness);
  }

  /** Everything sent from now on stays in transit, until `cut`. */
  hold(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  /**
   * The next connection that sends these bytes goes silent, as when the network silently drops it.
   * @returns once it did; call the result to let them arrive after all, from any connection, and to wait for the server's reply to them
   */
  silence(bytes: string): Promise<() => Promise<void>> {
    this.#trap.bytes = bytes;
    return new Promise((resolve) => {
      this.#trap.caught = resolve;
    });
  }

  /** Questions about this queue get no answer, as on RabbitMQ 4 for a minute when its node is down. */
  leaveUnanswered(queue: string): void {
    this.#unanswered.add(queue);
  }

  /** Whatever is asked of any queue is answered this late, as by a broker that has much to do after its start. */
  answerLate(ms: number): void {
    this.#slowness.ms = ms;
  }

  /** The next connection that sends these bytes breaks once the server has replied, and the reply is lost. @returns once it is */
  loseAnswerTo(bytes: string): Promise<void> {
    this.#loss.bytes = bytes;
    return new Promise((resolve) => {
      this.#loss.lost = resolve;
    });
  }

  /** Breaks all connections. They can be reopened at once, or with `stayDown` only after `restore`. */
  cut({ stayDown = false } = {}): void {
    this.#down = stayDown;
    for (const socket of this.#sockets) socket.destroy();
  }

  restore(): void {
    this.#down = false;
  }

  async close(): Promise<void> {
    this.cut({ stayDown: true });
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
