import type { ErrorCode, ErrorValue } from '@worktrack/contracts/errors';
import { failureBody } from '../http/envelope.ts';

/** Of those that JSON-RPC leaves to implementations (JSON-RPC 2.0, 5.1), one that MCP gives no meaning. */
const REFUSED_BEFORE_THE_PROTOCOL = -32_010;
/** What is said of a key before the protocol begins, to be shown by clients that show nothing but JSON-RPC. */
const OF_THE_KEY: ReadonlySet<ErrorCode> = new Set(['API_KEY_MISSING', 'API_KEY_INVALID', 'RATE_LIMITED']);

/**
 * The body of a refusal at `/mcp`. MCP clients show the message of a JSON-RPC error, and of anything else that a server returned an error; its
 * `id` is null, for the request is not read. `data.code` is the code that REST has.
 */
export function mcpFailureBody(error: ErrorValue, requestId: string): string {
  if (!OF_THE_KEY.has(error.code)) return failureBody(error, requestId);
  const { code, message } = error;
  return JSON.stringify({
    jsonrpc: '2.0',
    id: null,
    error: { code: REFUSED_BEFORE_THE_PROTOCOL, message, data: { code, requestId } },
  });
}
