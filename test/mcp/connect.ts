import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly _meta?: Record<string, unknown>;
}

/** What the tests use of a client, whichever SDK it comes from. */
export interface McpClient {
  tools(): Promise<readonly { name: string; title?: string; annotations?: object }[]>;
  call(
    name: string,
    args?: Record<string, unknown>,
    meta?: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<ToolResult>;
  /** What the server tells a model about itself. */
  instructions(): string | undefined;
  close(): Promise<void>;
}

export type ClientKind = 'client 2.x, 2026-07-28' | 'client 2.x, automatic' | 'client 2.x, 2025 era' | 'sdk 1.x';
export const CLIENT_KINDS: readonly ClientKind[] = [
  'client 2.x, 2026-07-28',
  'client 2.x, automatic',
  'client 2.x, 2025 era',
  'sdk 1.x',
];

export const MODES: Readonly<Record<Exclude<ClientKind, 'sdk 1.x'>, VersionNegotiationMode>> = {
  'client 2.x, 2026-07-28': { pin: '2026-07-28' },
  'client 2.x, automatic': 'auto',
  'client 2.x, 2025 era': 'legacy',
};

export async function connectMcp(
  kind: ClientKind,
  baseUrl: string,
  apiKey: string,
  projectId?: string,
): Promise<McpClient> {
  const url = new URL(`${baseUrl}/mcp`);
  if (projectId) url.searchParams.set('projectId', projectId);
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  const info = { name: 'test', version: '1.0.0' };
  if (kind === 'sdk 1.x') {
    const client = new EarlierClient(info);
    await client.connect(new EarlierTransport(url, { requestInit }));
    return {
      tools: async () => (await client.listTools()).tools,
      call: async (name, args, _meta, signal) =>
        (await client.callTool({ name, arguments: args, _meta }, undefined, signal && { signal })) as ToolResult,
      instructions: () => client.getInstructions(),
      close: () => client.close(),
    };
  }
  const client = new Client(info, { versionNegotiation: { mode: MODES[kind] } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args, _meta, signal) =>
      (await client.callTool({ name, arguments: args, _meta }, signal && { signal })) as ToolResult,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

export interface ToolFailure {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly { readonly path: string; readonly message?: string }[];
}

/** The error of a call that the tool refused. */
export function refusalOf(result: ToolResult): ToolFailure {
  if (!result.isError) throw new Error(`The tool did not refuse: ${JSON.stringify(result)}`);
  return (JSON.parse(result.content[0]?.text ?? '') as { error: ToolFailure }).error;
}
