/** A failure as tools and the transport report it. */
export interface ToolError {
  readonly code: string;
  readonly message: string;
}

export interface ToolAnswer {
  /** Of HTTP: a tool's own failure comes with 200. */
  readonly status: number;
  readonly headers: Headers;
  /** The body as it arrived. */
  readonly text: string;
  /** For a call that succeeded. */
  readonly output: Record<string, unknown> | undefined;
  readonly error: ToolError | undefined;
  /** Whether the error is the tool's; otherwise it is the transport's refusal. */
  readonly isToolError: boolean;
}

interface Message {
  readonly error?: ToolError;
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: Record<string, unknown>;
    readonly content: readonly { readonly text: string }[];
  };
}

/** One `tools/call` over plain HTTP, for a test that looks at what an SDK's client would hide: status, headers, the text itself. */
export async function callTool(
  baseUrl: string,
  apiKey: string,
  name: string | undefined,
  args: unknown,
  options: {
    readonly meta?: Record<string, unknown>;
    readonly headers?: Record<string, string>;
    /** Of the URL. */
    readonly query?: string;
    readonly signal?: AbortSignal;
  } = {},
): Promise<ToolAnswer> {
  const response = await post(
    `${baseUrl}/mcp${options.query ?? ''}`,
    apiKey,
    { method: 'tools/call', params: { name, arguments: args, _meta: options.meta } },
    options.headers,
    options.signal,
  );
  const { status, headers } = response;
  const text = await response.text();
  // Plain JSON, or the one event of a stream.
  const { result, error } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as Message;
  const isToolError = result?.isError === true;
  const failure = isToolError ? (JSON.parse(result.content[0]?.text ?? '{}') as { error: ToolError }).error : error;
  const output = result && !isToolError ? (result.structuredContent ?? {}) : undefined;
  return { status, headers, text, output, error: failure, isToolError };
}

/** As it arrives: what is in it, or only how it was answered. */
export function listTools(baseUrl: string, apiKey: string): Promise<Response> {
  return post(`${baseUrl}/mcp`, apiKey, { method: 'tools/list' });
}

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: unknown;
}

/** Several messages in one request, as protocol versions before 2025-06-18 allow. */
export function sendBatch(baseUrl: string, apiKey: string, messages: readonly Request[]): Promise<Response> {
  return post(`${baseUrl}/mcp`, apiKey, messages);
}

function post(
  url: string,
  apiKey: string,
  message: Request | readonly Request[],
  headers?: Record<string, string>,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(
      Array.isArray(message)
        ? message.map((one) => ({ jsonrpc: '2.0', ...one }))
        : { jsonrpc: '2.0', id: 1, ...message },
    ),
    ...(signal && { signal }),
  });
}
