import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { ConsoleBuild } from '../../build.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types dompurify";
const COOKIE = 'session';

/** Serves the built console beside the API of a gateway, with sessions that stand for API keys. */
export class Front {
  readonly #keys = new Map<string, string>();
  readonly #codes = new Map<string, string>();
  readonly #build: ConsoleBuild;
  #gateway: URL;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error) => {
      response.statusCode = 502;
      response.end(String(error));
    });
  });

  constructor(build: ConsoleBuild, gateway: string) {
    this.#build = build;
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

  /** A code that signs in once. */
  newCode(apiKey: string): string {
    const code = randomUUID();
    this.#codes.set(code, apiKey);
    return code;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.url);
    if (pathname === '/console/session') return this.#session(request, response);
    if (pathname.startsWith('/console')) return this.#file(pathname.slice('/console/'.length), response);
    const key = this.#keys.get(/session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '');
    const headers = { ...request.headers, ...(key && { authorization: `Bearer ${key}` }) };
    const onward = httpRequest(new URL(request.url ?? '/', this.#gateway), { method: request.method, headers });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }

  async #session(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.method === 'DELETE') {
      response.writeHead(204, { 'set-cookie': `${COOKIE}=; Max-Age=0; Path=/` }).end();
      return;
    }
    const { code, apiKey } = JSON.parse(text) as { code?: string; apiKey?: string };
    const key = apiKey ?? this.#codes.get(code ?? '');
    this.#codes.delete(code ?? '');
    const answer = await fetch(new URL('/api/me', this.#gateway), { headers: { authorization: `Bearer ${key}` } });
    if (!answer.ok) {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
      return;
    }
    const token = randomUUID();
    this.#keys.set(token, key as string);
    response.writeHead(204, { 'set-cookie': `${COOKIE}=${token}; HttpOnly; SameSite=Strict; Path=/` }).end();
  }

  async #file(name: string, response: ServerResponse): Promise<void> {
    const file = this.#build.assets.includes(name) ? name : this.#build.page;
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
    });
    response.end(await readFile(join(this.#build.folder, file)));
  }
}
