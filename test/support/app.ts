import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ConsentRequest } from '@worktrack/contracts/keys/connection';
import { ownPage, rawRequest } from './browser-request.ts';
import type { Certificate } from './certificate.ts';

type Json = Readonly<Record<string, unknown>>;

/** Somebody's web server on this machine, with the metadata documents of apps, and where they are called back. */
export class AppServer {
  readonly #server: Server;
  readonly #scheme: 'http' | 'https';
  /** How often each path was asked for. */
  readonly fetches = new Map<string, number>();
  /** By path: what is answered there. Default: the document of an app at that path. */
  readonly answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();

  private constructor(server: Server, scheme: 'http' | 'https') {
    this.#server = server;
    this.#scheme = scheme;
  }

  static async start(certificate?: Certificate): Promise<AppServer> {
    const server = certificate ? createTlsServer(certificate) : createServer();
    const apps = new AppServer(server, certificate ? 'https' : 'http');
    server.on('request', (request, response) => {
      const path = request.url ?? '';
      apps.fetches.set(path, (apps.fetches.get(path) ?? 0) + 1);
      const answer = apps.answers.get(path);
      if (answer) answer(request, response);
      else response.end(JSON.stringify(apps.document(path)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return apps;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  document(path: string, more: Json = {}): Json {
    return {
      client_id: `${this.url}${path}`,
      client_name: 'Test app',
      redirect_uris: ['http://127.0.0.1/callback', 'https://app.example/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...more,
    };
  }

  /** Serves a document at a path of its own. @returns the client_id */
  publish(more: Json = {}, headers: Readonly<Record<string, string>> = {}): string {
    const path = `/${randomBytes(6).toString('hex')}/client.json`;
    this.answers.set(path, (_request, response) => {
      response.writeHead(200, headers).end(JSON.stringify(this.document(path, more)));
    });
    return `${this.url}${path}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly scope: string;
}

export const newVerifier = () => randomBytes(32).toString('base64url');
export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/** What an app sends a browser with, to `/connect/authorize`. A parameter that is undefined is left out. */
export function authorizeParameters(
  clientId: string,
  verifier: string,
  more: Readonly<Record<string, string | undefined>> = {},
) {
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: 'http://127.0.0.1:4711/callback',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    state: 'a state',
    ...more,
  };
  return new URLSearchParams(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** A browser that comes with such a request. @returns the id of the connection that the page for it is about */
export async function openAuthorize(baseUrl: string, parameters: URLSearchParams): Promise<string> {
  const { status, headers, text } = await rawRequest(`${baseUrl}/connect/authorize?${parameters}`, 'GET', {});
  const id = /^\/console\/connect\/([0-9a-f-]{36})$/.exec(headers.location ?? '')?.[1];
  if (status !== 302 || !id) throw new Error(`The browser was not sent to the page: ${status} ${text}`);
  return id;
}

/** What the console does for somebody who is signed in. @param cookie of their session */
export async function asPerson<T = Json>(
  baseUrl: string,
  cookie: string,
  method: string,
  path: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
) {
  const text = method === 'GET' || method === 'DELETE' ? undefined : JSON.stringify(body ?? {});
  const type = text !== undefined && { 'content-type': 'application/json' };
  const headers = { ...ownPage(baseUrl), cookie, ...type, ...more };
  const answer = await rawRequest(`${baseUrl}${path}`, method, headers, text);
  return { status: answer.status, data: answer.body.data as unknown as T, error: answer.body.error };
}

interface Opened {
  readonly request: ConsentRequest | null;
  readonly problem: { readonly code: string; readonly detail: string | null } | null;
  readonly backTo: string | null;
}
export const openPage = (baseUrl: string, cookie: string, id: string) =>
  asPerson<Opened>(baseUrl, cookie, 'POST', `/api/connections/${id}/open`);

interface Consent {
  readonly permissions?: readonly string[];
  readonly projects?: readonly string[];
  readonly expiresInDays?: number;
}

/** Looks at the page and allows what is ticked: by default what it offers to read. @returns where the browser is sent */
export async function approve(baseUrl: string, cookie: string, id: string, consent: Consent = {}): Promise<URL> {
  const opened = await openPage(baseUrl, cookie, id);
  const { request, problem } = opened.data ?? {};
  if (!request) throw new Error(`There is nothing to allow: ${JSON.stringify(problem ?? opened)}`);
  const permissions = consent.permissions ?? request.offered.filter((each) => each.endsWith(':read'));
  const { data, error } = await asPerson<{ redirectTo: string }>(
    baseUrl,
    cookie,
    'POST',
    `/api/connections/${id}/approve`,
    { ...consent, permissions },
  );
  if (!data) throw new Error(`It was not allowed: ${error?.message}`);
  return new URL(data.redirectTo);
}

/** A request to the token endpoint, or another one that takes forms. */
export async function askToken(baseUrl: string, form: Readonly<Record<string, string>>, path = '/connect/token') {
  const response = await fetch(`${baseUrl}${path}`, { method: 'POST', body: new URLSearchParams(form) });
  const body = (await response.json()) as Tokens & { readonly error?: string; readonly error_description?: string };
  return { status: response.status, headers: response.headers, body };
}

/** Connects an app from beginning to end, as a browser and the app together do it. */
export async function connectApp(
  baseUrl: string,
  cookie: string,
  clientId: string,
  { consent, more }: { readonly consent?: Consent; readonly more?: Readonly<Record<string, string | undefined>> } = {},
): Promise<Tokens & { readonly code: string; readonly verifier: string }> {
  const verifier = newVerifier();
  const parameters = authorizeParameters(clientId, verifier, more);
  const back = await approve(baseUrl, cookie, await openAuthorize(baseUrl, parameters), consent);
  const code = back.searchParams.get('code') ?? '';
  const { status, body } = await askToken(baseUrl, {
    grant_type: 'authorization_code',
    ...{ code, code_verifier: verifier, client_id: clientId },
    redirect_uri: parameters.get('redirect_uri') ?? '',
  });
  if (status !== 200) throw new Error(`There are no tokens: ${status} ${JSON.stringify(body)}`);
  return { ...body, code, verifier };
}

/** A message to `/connect`, or to another endpoint of the protocol. */
export async function sendMessage(baseUrl: string, token: string | undefined, message: object, path = '/connect') {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? {} : JSON.parse(text) };
}
