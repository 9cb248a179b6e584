import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type ClientKind, MODES, type ToolResult } from '../mcp/connect.ts';

/** What a program does that uses an SDK: it keeps what it is given, and opens the browser where it is told to. */
class Kept {
  readonly redirectUrl = 'http://127.0.0.1:4711/callback';
  readonly clientMetadata = { client_name: 'Test app', redirect_uris: [this.redirectUrl] };
  readonly clientMetadataUrl: string | undefined;
  /** Where the browser was sent last. */
  opened: URL | undefined;
  #client: { client_id: string } | undefined;
  #tokens: { access_token: string; token_type: string } | undefined;
  #verifier = '';

  constructor(clientMetadataUrl: string | undefined) {
    this.clientMetadataUrl = clientMetadataUrl;
  }

  clientInformation = () => this.#client;
  saveClientInformation = (client: { client_id: string }): void => {
    this.#client = client;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: { access_token: string; token_type: string }): void => {
    this.#tokens = tokens;
  };
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string): void => {
    this.#verifier = verifier;
  };
  redirectToAuthorization = (url: URL): void => {
    this.opened = url;
  };
}

export interface OfficialClient {
  readonly clientId: string;
  /** What the browser was sent to the last time. */
  readonly opened: URL | undefined;
  tools(): Promise<readonly string[]>;
  call(name: string, args: Record<string, unknown>): Promise<ToolResult>;
  /** Goes on with what a browser has brought back. */
  finish(back: URL): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects with an SDK that is told nothing but an address.
 * @param documentUrl of the client's metadata, if it has one; else it registers itself
 * @param decide what a person does with their browser. @returns where the browser is sent back to
 */
export async function connectByOAuth(
  kind: ClientKind,
  address: string,
  documentUrl: string | undefined,
  decide: (authorize: URL) => Promise<URL>,
): Promise<OfficialClient> {
  const kept = new Kept(documentUrl);
  const attempt = () => connected(kind, new URL(address), kept);
  const first = attempt();
  await first.connect().then(
    () => {
      throw new Error('It connected without a token.');
    },
    (error: Error) => {
      if (!kept.opened) throw error;
    },
  );
  await first.finish(await decide(kept.opened as URL));
  await first.close();
  const second = attempt();
  await second.connect();
  return {
    ...second,
    get clientId() {
      return kept.clientInformation()?.client_id ?? '';
    },
    get opened() {
      return kept.opened;
    },
  };
}

function connected(kind: ClientKind, url: URL, authProvider: Kept) {
  const info = { name: 'test', version: '1.0.0' };
  if (kind === 'sdk 1.x') {
    const [client, transport] = [new EarlierClient(info), new EarlierTransport(url, { authProvider })];
    return {
      connect: () => client.connect(transport),
      finish: (back: URL) => transport.finishAuth(back.searchParams.get('code') ?? ''),
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name: string, args: Record<string, unknown>) =>
        (await client.callTool({ name, arguments: args })) as ToolResult,
      close: () => client.close(),
    };
  }
  const client = new Client(info, { versionNegotiation: { mode: MODES[kind] } });
  const transport = new StreamableHTTPClientTransport(url, { authProvider });
  return {
    connect: () => client.connect(transport),
    finish: (back: URL) => transport.finishAuth(back.searchParams),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })) as ToolResult,
    close: () => client.close(),
  };
}
