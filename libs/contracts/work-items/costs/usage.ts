import { z } from 'zod';
import { exampleBudget, exampleTotals } from '../../examples.ts';
import { DayOrTime, ItemRef, ProjectId } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { truncation } from '../../truncation.ts';
import { Budget } from './budget.ts';
import { Cost } from './sessions.ts';

export const UsageTotals = z.object({
  sessions: z.int(),
  totalTokens: z.int(),
  /** Of the sessions that reported them. */
  inputTokens: z.int(),
  outputTokens: z.int(),
  cachedInputTokens: z.int(),
  cacheWriteTokens: z.int(),
  durationMs: z.int(),
  /** Of the sessions whose cost is known. */
  estimatedCost: Cost,
  unpricedSessions: z.int(),
});
export type UsageTotals = z.infer<typeof UsageTotals>;

export const USAGE_GROUPS = ['model', 'provider', 'sessionType', 'day', 'workItem', 'epic', 'agent', 'key'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export const getAiUsage = operation({
  name: 'workItems.usage',
  summary: 'Sum tokens, time and cost of AI sessions, for a project or for a work item and all below it.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    projectId: ProjectId.optional(),
    workItemId: ItemRef.optional(),
    from: DayOrTime.optional().describe('Date or time'),
    to: DayOrTime.optional().describe('A date includes that day'),
    groupBy: z.enum(USAGE_GROUPS).optional(),
  }),
  output: z.object({
    totals: UsageTotals,
    /** Of the item or project in question. */
    budget: Budget.nullable(),
    /** For an item, all that apply to it. For a project, its own and those of its items. */
    budgets: z.array(Budget),
    groups: z.array(UsageTotals.extend({ key: z.string(), label: z.string() })).optional(),
    ...truncation(['groups', 'budgets']),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: { workItemId: 'W-E-2', groupBy: 'model' },
    output: {
      budget: exampleBudget,
      budgets: [exampleBudget],
      totals: exampleTotals,
      groups: [{ ...exampleTotals, key: 'gpt-4o', label: 'gpt-4o' }],
    },
  },
  rest: 'GET /api/ai-usage',
  mcp: { tool: 'get_ai_usage', title: 'Get AI usage' },
});
