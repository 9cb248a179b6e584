import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ErrorDetail, ErrorValue } from '@worktrack/contracts/errors';
import { IDEMPOTENCY_KEY_META, IDEMPOTENCY_REPLAYED_META } from '@worktrack/contracts/tool-call-meta';
import { registry } from '@worktrack/runtime/process/metrics';
import { echoed, invalid, unknownField } from '@worktrack/runtime/validation/parse';
import { Counter } from 'prom-client';
import { checkIdempotencyKey } from '../http/idempotency-key.ts';
import type { CallOrigin, Perform } from '../perform.ts';
import type { Tool } from './tools.ts';

const calls = new Counter({
  name: 'worktrack_mcp_tool_calls_total',
  help: 'Calls of MCP tools, by tool and outcome (ok or an error code).',
  labelNames: ['tool', 'outcome'],
  registers: [registry],
});

/** Calls a tool. Whatever goes wrong is a result with `isError`, for a model to read and act on; nothing is thrown. */
export async function callTool(
  tool: Tool,
  given: {
    readonly arguments?: Record<string, unknown> | undefined;
    readonly meta?: Record<string, unknown> | undefined;
  },
  origin: CallOrigin,
  perform: Perform,
  failureOf: (thrown: unknown) => ErrorValue,
): Promise<CallToolResult> {
  const { tool: name } = tool.operation.mcp as { readonly tool: string };
  try {
    const input = given.arguments ?? {};
    refuseOmitted(tool, input);
    const metaKey = given.meta?.[IDEMPOTENCY_KEY_META];
    const { output, replayed } = await perform(
      tool.operation,
      input,
      metaKey === undefined
        ? origin
        : { ...origin, idempotencyKey: checkIdempotencyKey(metaKey, `_meta.${IDEMPOTENCY_KEY_META}`) },
    );
    calls.inc({ tool: name, outcome: 'ok' });
    return {
      content: [{ type: 'text', text: JSON.stringify(output) }],
      structuredContent: output as Record<string, unknown>,
      ...(replayed ? { _meta: { [IDEMPOTENCY_REPLAYED_META]: true } } : {}),
    };
  } catch (thrown) {
    const { code, message, details, current } = failureOf(thrown);
    calls.inc({ tool: name, outcome: code });
    return {
      isError: true,
      content: [{ type: 'text', text: JSON.stringify({ error: { code, message, details, current } }) }],
    };
  }
}

/** The schema knows these fields, for REST has them. */
function refuseOmitted(tool: Tool, input: Record<string, unknown>): void {
  if (tool.omitted.size === 0) return;
  const faults: ErrorDetail[] = [];
  for (const field of Object.keys(input)) {
    if (tool.omitted.has(field)) faults.push({ path: echoed(field), message: unknownField(field, tool.fields) });
  }
  if (faults.length > 0) throw invalid(faults);
}
