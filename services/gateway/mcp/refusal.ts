import type { ErrorCode, ErrorValue } from '@worktrack/contracts/errors';
import { failureBody } from '../http/envelope.ts';
import { quotable } from '../http/quotable.ts';

/** One of those that JSON-RPC leaves to implementations (JSON-RPC 2.0, 5.1) and that MCP assigns no meaning. */
const REFUSED_BEFORE_THE_PROTOCOL = -32_010;
/** Problems with a key, reported before the protocol begins, for clients that show nothing but JSON-RPC. */
const OF_THE_KEY: ReadonlySet<ErrorCode> = new Set(['API_KEY_MISSING', 'API_KEY_INVALID', 'RATE_LIMITED']);

/**
 * The body of a refusal at `/mcp`. MCP clients show the message of a JSON-RPC error; of anything else, only that there was an error. Its
 * `id` is null, because the request is not read.
 */
export function mcpFailureBody(error: ErrorValue, requestId: string): string {
  if (!OF_THE_KEY.has(error.code)) return failureBody(error, requestId);
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: jsonRpcError(error, requestId) });
}

/** The words of a refusal for clients that show the challenge and not the body (RFC 6750, 3). */
export function mcpFailureHeaders({ code, message }: ErrorValue): Record<string, string> {
  if (code !== 'API_KEY_MISSING' && code !== 'API_KEY_INVALID') return {};
  const words = quotable(message);
  // Without credentials there is no error to name.
  const error = code === 'API_KEY_INVALID' ? 'error="invalid_token", ' : '';
  return { 'www-authenticate': `Bearer realm="worktrack", ${error}error_description="${words}"` };
}

/** `data.code` is the same code as over REST. */
export function jsonRpcError({ code, message }: ErrorValue, requestId: string): object {
  return { code: REFUSED_BEFORE_THE_PROTOCOL, message, data: { code, requestId } };
}
