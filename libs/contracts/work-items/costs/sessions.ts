import { z } from 'zod';
import { ids } from '../../examples.ts';
import { ItemRef, oneLine, RecordId, Timestamp } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { agentFields } from '../../people/actor.ts';

export const DEFAULT_REVIEW_PROVIDER = 'anthropic';
export const DEFAULT_IMPLEMENT_PROVIDER = 'openai';
export const DEFAULT_SESSION_TYPE = 'implement';

const MAX_TOKENS = 10_000_000_000;
const MAX_DURATION_MS = 30 * 24 * 60 * 60 * 1000;

export const Tokens = z.int().min(0).max(MAX_TOKENS);
const MAX_COST_USD = 1_000_000;

/** What work has used, in every tool that reports it: the input includes what was read from and written to a cache. */
export const tokenParts = {
  inputTokens: Tokens.optional(),
  outputTokens: Tokens.optional(),
  cachedInputTokens: Tokens.optional(),
  cacheWriteTokens: Tokens.optional(),
  /** What was really paid. */
  costUsd: z.number().min(0).max(MAX_COST_USD).optional(),
};

/** What an agent reports about its work; the same in every tool that records a session. */
export const sessionReport = {
  model: oneLine(200),
  totalTokens: Tokens,
  ...tokenParts,
  durationMs: z.int().min(0).max(MAX_DURATION_MS).optional(),
};
export const Provider = oneLine(100);
export const SessionType = oneLine(50);

/** Dollars with six decimals, or `unknown` for a model without a known price. */
export const Cost = z.string();

/**
 * How a cost was determined.
 * - `paid`: the amount paid.
 * - `split`: from the prices of input and output.
 * - `total`: from a total, estimated as three parts input to one part output.
 * - `unpriced`: no price is known.
 */
export const COST_BASES = ['paid', 'split', 'total', 'unpriced'] as const;
export const CostBasis = z.enum(COST_BASES);
export type CostBasis = z.infer<typeof CostBasis>;

type Given = { readonly [Field in 'totalTokens' | keyof typeof tokenParts]?: number | undefined };

/** Input and output are parts of the total, what a cache saved or took is part of the input. */
export function refuseParts(
  { totalTokens, inputTokens, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 }: Given,
  context: z.RefinementCtx,
): void {
  if (cachedInputTokens + cacheWriteTokens > (inputTokens ?? 0)) {
    const message = 'must be at least cachedInputTokens + cacheWriteTokens, which are part of it';
    context.addIssue({ code: 'custom', path: ['inputTokens'], message });
  }
  // Without a total, the parts are all that there is.
  if (totalTokens !== undefined) refuseTotal({ totalTokens, inputTokens: inputTokens ?? 0, outputTokens }, context);
}

function refuseTotal(
  { totalTokens, inputTokens, outputTokens }: { totalTokens: number; inputTokens: number; outputTokens: number },
  context: z.RefinementCtx,
): void {
  // If a number is itself invalid, the sum adds no information.
  const areTokens = [totalTokens, inputTokens, outputTokens].every((given) => Tokens.safeParse(given).success);
  if (areTokens && inputTokens + outputTokens > totalTokens) {
    const message = 'must be at least inputTokens + outputTokens';
    context.addIssue({ code: 'custom', path: ['totalTokens'], message });
  }
}

export const AiSession = z.object({
  id: RecordId,
  workItemId: RecordId,
  taskId: z.string(),
  model: z.string(),
  provider: z.string(),
  totalTokens: z.int(),
  inputTokens: z.int().optional(),
  outputTokens: z.int().optional(),
  cachedInputTokens: z.int().optional(),
  cacheWriteTokens: z.int().optional(),
  durationMs: z.int().nullable(),
  sessionType: z.string(),
  /** Who worked, under a claim; absent otherwise, and in sessions of earlier versions. */
  agent: agentFields.agent,
  run: agentFields.run,
  /** How often the agent was heard of while it worked. */
  heartbeats: z.int().optional(),
  estimatedCost: Cost,
  costBasis: CostBasis,
  createdAt: Timestamp,
});
export type AiSession = z.infer<typeof AiSession>;

export const recordAiSession = operation({
  name: 'workItems.recordSession',
  summary: 'Record an AI session on a work item.',
  permissions: ['work-items:write'],
  effect: 'create',
  input: z
    .strictObject({
      workItemId: ItemRef.optional(),
      taskId: ItemRef.optional(),
      ...sessionReport,
      provider: Provider.optional(),
      sessionType: SessionType.default(DEFAULT_SESSION_TYPE),
    })
    .refine(({ workItemId, taskId }) => workItemId !== undefined || taskId !== undefined, {
      path: ['workItemId'],
      message: 'is required (string)',
      // In the same refusal as other faults.
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .superRefine(refuseParts),
  output: z.object({
    sessionId: RecordId,
    workItemId: RecordId,
    estimatedCost: Cost,
    costBasis: CostBasis,
    totalTokens: z.int(),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: { workItemId: 'W-T-14', model: 'gpt-4o', provider: 'openai', totalTokens: 120_000, durationMs: 420_000 },
    output: {
      sessionId: ids.session,
      workItemId: ids.task,
      estimatedCost: '0.525000',
      costBasis: 'total',
      totalTokens: 120_000,
    },
  },
  rest: 'POST /api/work-items/:workItemId/ai-sessions',
  mcp: {
    tool: 'record_ai_session',
    title: 'Record AI session',
    unlisted: ['taskId', 'cachedInputTokens', 'cacheWriteTokens'],
    required: ['workItemId'],
  },
});
