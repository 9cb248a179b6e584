import type { Operation } from '@worktrack/contracts/operation';
import { callTool } from '../support/tool-call.ts';

/** What came back, over REST or from a tool: enough to judge it without knowing the operation. */
export interface Outcome {
  readonly via: 'rest' | 'tool';
  /** HTTP status; for a tool's failure, the status of its error code is not known here: 200. */
  readonly status: number;
  /** For a failure: its code. */
  readonly code: string | undefined;
  readonly text: string;
}

interface Failure {
  readonly error?: { readonly code?: string };
}

/** Calls an operation in every way that it offers. */
export async function sendEverywhere(
  operation: Operation,
  input: Record<string, unknown>,
  baseUrl: string,
  apiKey: string,
): Promise<Outcome[]> {
  const ways = [
    // Byte streams have routes of their own, which take no JSON.
    ...(operation.rest && operation.bytes !== 'up' ? [sendByRest(operation.rest, input, baseUrl, apiKey)] : []),
    ...(operation.mcp ? [sendByTool(operation, input, baseUrl, apiKey)] : []),
  ];
  return await Promise.all(ways);
}

async function sendByRest(
  route: string,
  input: Record<string, unknown>,
  baseUrl: string,
  apiKey: string,
): Promise<Outcome> {
  const [method = '', template = ''] = route.split(' ');
  const rest = { ...input };
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  const inQuery = method === 'GET' || method === 'DELETE';
  const query = new URLSearchParams();
  if (inQuery) for (const [name, value] of Object.entries(rest)) query.append(name, String(value));
  const response = await fetch(`${baseUrl}${path}?${query}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(inQuery ? {} : { 'content-type': 'application/json' }),
    },
    body: inQuery ? undefined : JSON.stringify(rest),
  });
  const text = await response.text();
  return { via: 'rest', status: response.status, code: codeOf(text), text };
}

async function sendByTool(
  operation: Operation,
  input: Record<string, unknown>,
  baseUrl: string,
  apiKey: string,
): Promise<Outcome> {
  const omitted = new Set(operation.mcp?.omit ?? []);
  const args = Object.fromEntries(Object.entries(input).filter(([name]) => !omitted.has(name)));
  const { status, text, error, isToolError } = await callTool(baseUrl, apiKey, operation.mcp?.tool, args);
  return { via: 'tool', status, code: isToolError ? error?.code : undefined, text };
}

function codeOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as Failure).error?.code;
  } catch {
    return undefined;
  }
}
