import { z } from 'zod';
import { exampleTotals } from '../examples.ts';
import { Id, ItemRef } from '../fields.ts';
import { operation } from '../operation.ts';
import { Cost } from './sessions.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** A day (UTC) or a point in time. A refinement, not a pattern: patterns are what `tools/list` cannot afford. */
const DayOrTime = z
  .string()
  .refine((value) => (DATE.test(value) || DATE_TIME.test(value)) && !Number.isNaN(Date.parse(value)), {
    error: 'must be a date (2026-01-31) or a time with its zone (2026-01-31T12:00:00Z)',
  });

export const UsageTotals = z.object({
  sessions: z.int(),
  totalTokens: z.int(),
  /** Of the sessions that gave them. */
  inputTokens: z.int(),
  outputTokens: z.int(),
  durationMs: z.int(),
  /** Of the sessions whose cost is known. */
  estimatedCost: Cost,
  unpricedSessions: z.int(),
});
export type UsageTotals = z.infer<typeof UsageTotals>;

export const USAGE_GROUPS = ['model', 'provider', 'sessionType', 'day', 'workItem'] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export const getAiUsage = operation({
  name: 'workItems.usage',
  summary: 'Sum tokens, time and cost of AI sessions, of a project or of a work item with all below it.',
  permission: 'work-items:read',
  effect: 'read',
  input: z.strictObject({
    projectId: Id.optional(),
    workItemId: ItemRef.optional(),
    from: DayOrTime.optional().describe('Date or time'),
    to: DayOrTime.optional().describe('A date includes that day'),
    groupBy: z.enum(USAGE_GROUPS).optional(),
  }),
  output: z.object({
    totals: UsageTotals,
    groups: z.array(UsageTotals.extend({ key: z.string(), label: z.string() })).optional(),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: { workItemId: 'W-E-2', groupBy: 'model' },
    output: { totals: exampleTotals, groups: [{ ...exampleTotals, key: 'gpt-4o', label: 'gpt-4o' }] },
  },
  rest: 'GET /api/ai-usage',
  mcp: { tool: 'get_ai_usage', title: 'Get AI usage' },
});
