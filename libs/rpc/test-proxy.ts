import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A network between a process and a server, that a test can cut. */
export class TestProxy {
  /** As the broker's, by way of this proxy. */
  readonly url: string;
  /** New connections are refused while it is down. */
  private down = false;
  private readonly server: Server;
  private readonly sockets: Set<Socket>;

  private constructor(url: string, server: Server, sockets: Set<Socket>) {
    this.url = url;
    this.server = server;
    this.sockets = sockets;
    server.on('connection', (socket: Socket) => {
      if (this.down) socket.destroy();
    });
  }

  static async to(brokerUrl: string): Promise<TestProxy> {
    const target = new URL(brokerUrl);
    const sockets = new Set<Socket>();
    const track = (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {});
    };
    const server = createServer((near) => {
      const far = connect(Number(target.port || 5672), target.hostname);
      for (const socket of [near, far]) track(socket);
      near.pipe(far);
      far.pipe(near);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(brokerUrl);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    return new TestProxy(url.href, server, sockets);
  }

  /** What is sent from now on stays under way, until `cut`. */
  hold(): void {
    for (const socket of this.sockets) socket.pause();
  }

  /** Breaks all connections. They can be made again at once, or after `restore` when `stayDown`. */
  cut({ stayDown = false } = {}): void {
    this.down = stayDown;
    for (const socket of this.sockets) socket.destroy();
  }

  restore(): void {
    this.down = false;
  }

  async close(): Promise<void> {
    this.cut({ stayDown: true });
    await new Promise((resolve) => this.server.close(resolve));
  }
}
