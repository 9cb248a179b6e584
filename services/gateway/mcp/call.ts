import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ErrorValue } from '@worktrack/contracts/errors';
import { IDEMPOTENCY_KEY_META, IDEMPOTENCY_REPLAYED_META } from '@worktrack/contracts/tool-call-meta';
import { WorkItem } from '@worktrack/contracts/work-items/work-item';
import type { Outcome } from '@worktrack/rpc/types';
import { LatencyHistogram, registry } from '@worktrack/runtime/process/metrics';
import { isFault, outcomeAttributes } from '@worktrack/runtime/tracing/outcome';
import { tracing } from '@worktrack/runtime/tracing/tracing';
import { invalid } from '@worktrack/runtime/validation/parse';
import { Counter } from 'prom-client';
import type { Refusals } from '../audit/refusals.ts';
import { checkIdempotencyKey } from '../http/idempotency-key.ts';
import type { CallOrigin, Perform } from '../perform.ts';
import { type JsonSchema, outputSchema } from '../schema.ts';
import { briefly } from './results/brief.ts';
import { fit } from './results/fit.ts';
import { resultOf } from './results/result.ts';
import type { Tool } from './tools.ts';

const calls = new Counter({
  name: 'worktrack_mcp_tool_calls_total',
  help: 'Calls of MCP tools, by tool and outcome (ok or an error code).',
  labelNames: ['tool', 'outcome'],
  registers: [registry],
});

const seconds = new LatencyHistogram({
  name: 'worktrack_mcp_tool_seconds',
  help: 'Time that calls of MCP tools took, by tool.',
  labelNames: ['tool'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
});

/** Calls a tool. Whatever goes wrong is a result with `isError`, for a model to read and act on; nothing is thrown. */
export async function callTool(
  tool: Tool,
  given: {
    readonly arguments?: Record<string, unknown> | undefined;
    readonly meta?: Record<string, unknown> | undefined;
  },
  origin: CallOrigin,
  { perform, refusals }: { readonly perform: Perform; readonly refusals: Refusals },
  failureOf: (thrown: unknown) => ErrorValue,
): Promise<CallToolResult> {
  const { tool: name } = tool.operation.mcp as { readonly tool: string };
  const startedAtMs = performance.now();
  const span = tracing?.spanOf(origin.trace)?.child('internal', `tools/call ${name}`, {
    'mcp.method.name': 'tools/call',
    'gen_ai.tool.name': name,
    'worktrack.operation': tool.operation.name,
    'worktrack.organization.id': origin.caller.organizationId,
  });
  const input = tool.arguments.toInput(given.arguments ?? {});
  let outcome: Outcome = 'ok';
  try {
    const faults = tool.arguments.unknown(given.arguments ?? {});
    if (faults.length > 0) throw invalid(faults);
    const metaKey = given.meta?.[IDEMPOTENCY_KEY_META];
    const { caller } = origin;
    const callOrigin = {
      ...origin,
      ...(metaKey !== undefined && { idempotencyKey: checkIdempotencyKey(metaKey, `_meta.${IDEMPOTENCY_KEY_META}`) }),
      ...(span && { trace: span }),
    };
    let isReplayed = false;
    const shownAs = tool.operation.mcp?.image;
    let image: { readonly data: string; readonly mimeType: string } | undefined;
    const result = await resultOf(tool, input, [caller.organizationId, caller.sessionProjectId], async (asked) => {
      const reply = await perform(tool.operation, asked, callOrigin);
      isReplayed = reply.replayed === true;
      const { [shownAs ?? '']: shown, ...output } = reply.output as Record<string, unknown>;
      image = shown as typeof image;
      return output;
    });
    // After it was made to fit, for a list continues after an entry's id.
    const output = briefly(result, tool.operation.mcp?.brief);
    calls.inc({ tool: name, outcome: 'ok' });
    return {
      content: [
        { type: 'text', text: JSON.stringify(output) },
        ...(image ? [{ type: 'image' as const, ...image }] : []),
      ],
      structuredContent: output,
      ...(isReplayed ? { _meta: { [IDEMPOTENCY_REPLAYED_META]: true } } : {}),
    };
  } catch (thrown) {
    const failure = failureOf(thrown);
    if (failure.code === 'PERMISSION_DENIED') {
      refusals.note({ ...origin, operation: tool.operation, input });
    }
    const told = tool.arguments.inOwnWords(failure, given.arguments ?? {});
    const { code, message, details = pointers(failure, given.arguments), current } = told;
    outcome = code;
    calls.inc({ tool: name, outcome });
    return {
      isError: true,
      content: [
        { type: 'text', text: JSON.stringify(fit({ error: { code, message, details, current } }, FAILURE, []).value) },
      ],
    };
  } finally {
    span?.end(outcomeAttributes(outcome), isFault(outcome));
    seconds.observe({ tool: name }, (performance.now() - startedAtMs) / 1_000, span);
  }
}

/** The arguments whose values a refusal is about, if it names none: of several ids a model cannot tell which names nothing. */
function pointers({ message }: ErrorValue, given: Readonly<Record<string, unknown>> = {}) {
  const meant = Object.entries(given).filter(([, value]) => typeof value === 'string' && isNamedIn(message, value));
  return meant.length > 0 ? meant.map(([path]) => ({ path })) : undefined;
}

const MIN_NAMED_LENGTH = 5;
const isNamedIn = (text: string, value: string) =>
  value.length >= MIN_NAMED_LENGTH && text.toLowerCase().includes(value.toLowerCase());

/** A conflict shows the current item, which may be large. */
const FAILURE: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: { details: { type: 'array', items: { properties: {} } }, current: outputSchema(WorkItem) },
    },
  },
};
