import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { LoggedEvent } from '@worktrack/contracts/events/event';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: LoggedEvent;
}

/** What an endpoint answers: a status, or whatever it does itself. */
type Answer = number | ((response: ServerResponse, received: Received) => void);

/** Somebody else's endpoint: a real HTTP server on the loopback address. */
export class Endpoint {
  readonly received: Received[] = [];
  readonly #server: Server;
  #answer: (received: Received) => Answer;
  underWay = 0;
  mostUnderWay = 0;

  private constructor(answer: (received: Received) => Answer) {
    this.#answer = answer;
    this.#server = createServer(async (request, response) => {
      this.underWay++;
      this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
      response.once('close', () => this.underWay--);
      const body = await text(request);
      const received = { headers: request.headers, body, event: JSON.parse(body) as LoggedEvent };
      this.received.push(received);
      const answer = this.#answer(received);
      if (typeof answer === 'function') answer(response, received);
      else response.writeHead(answer).end('ok');
    });
  }

  static async start(answer: (received: Received) => Answer = () => 200): Promise<Endpoint> {
    const endpoint = new Endpoint(answer);
    await new Promise<void>((resolve) => endpoint.#server.listen(0, '127.0.0.1', resolve));
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  answers(answer: (received: Received) => Answer): void {
    this.#answer = answer;
  }

  get seqs(): number[] {
    return this.received.map(({ event }) => event.seq);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
