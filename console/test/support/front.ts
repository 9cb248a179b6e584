import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ScriptedStream } from './scripted-stream.ts';

const STREAM = '/api/events/stream';

/** What stands before the gateway: passes everything on as it is, but for the stream of events, which the test tells. */
export class Front {
  readonly stream = new ScriptedStream();
  readonly #gateway: URL;
  readonly #server = createServer((request, response) => {
    if (request.url?.startsWith(STREAM)) this.stream.answer(request, response);
    else this.#passOn(request, response);
  });

  constructor(gateway: string) {
    this.#gateway = new URL(gateway);
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  #passOn(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers } = request;
    const onward = httpRequest(new URL(request.url ?? '/', this.#gateway), { method, headers });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }
}
