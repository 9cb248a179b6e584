import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { sizeOf } from './words.ts';

export interface Answer {
  readonly isError: boolean;
  /** What a model reads. */
  readonly text: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** An MCP client that keeps account of what its calls bring into a context. */
export class ToolClient {
  readonly calls: { readonly tool: string; readonly bytes: number; readonly tokens: number }[] = [];
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async connect(baseUrl: string, apiKey: string, projectId?: string): Promise<ToolClient> {
    const url = new URL(`${baseUrl}/mcp`);
    if (projectId) url.searchParams.set('projectId', projectId);
    const client = new Client({ name: 'bench', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    return new ToolClient(client);
  }

  async tools() {
    return (await this.#client.listTools()).tools;
  }

  async call(tool: string, args: Readonly<Record<string, unknown>>): Promise<Answer> {
    const { isError, content, structuredContent } = await this.#client.callTool({ name: tool, arguments: { ...args } });
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    this.calls.push({ tool, ...sizeOf(text) });
    return { isError: isError === true, text, content: (structuredContent ?? {}) as Answer['content'] };
  }

  /** @throws Error with the tool's own words */
  async done<Content>(tool: string, args: Readonly<Record<string, unknown>>): Promise<Content> {
    const { isError, text, content } = await this.call(tool, args);
    if (isError) throw new Error(`${tool}: ${text}`);
    return content as Content;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
