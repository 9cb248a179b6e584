import { z } from 'zod';
import { exampleBudget, ids } from '../../examples.ts';
import { Id, ItemRef, ProjectId } from '../../fields.ts';
import { operation } from '../../operation.ts';

export const BUDGET_PERIODS = ['total', 'day', 'month'] as const;
export const BudgetPeriod = z.enum(BUDGET_PERIODS);
export type BudgetPeriod = z.infer<typeof BudgetPeriod>;

const MAX_LIMIT_USD = 1_000_000_000;
/** What amounts are kept in: less would be a budget of nothing. */
const MIN_LIMIT_USD = 0.000_001;

/** The limit and the spending of the work below an item or project. If several budgets apply, it is the one with the least left. */
export const Budget = z.object({
  /** `project`, or the task ID of the item that has it. */
  of: z.string(),
  limitUsd: z.number(),
  /** Days and months in UTC. */
  period: BudgetPeriod,
  /** Work without a known price counts as nothing. */
  spentUsd: z.number(),
  /** What it consists of: the sessions, and what agents at work have reported so far. */
  spent: z.object({ recordedUsd: z.number(), inFlightUsd: z.number() }),
  remainingUsd: z.number(),
});
export type Budget = z.infer<typeof Budget>;

const fields = {
  limitUsd: z
    .number()
    .min(0)
    .max(MAX_LIMIT_USD)
    .refine((usd) => usd <= 0 || usd >= MIN_LIMIT_USD, 'must be 0, or at least 0.000001')
    .nullable()
    .describe('null: no budget'),
  period: BudgetPeriod.default('total'),
};

const common = {
  permissions: ['work-items:write'],
  roles: ['owner', 'admin'],
  effect: 'update',
  output: z.object({ budget: Budget.nullable() }),
  errors: ['NOT_FOUND'],
} as const;

export const setProjectBudget = operation({
  ...common,
  audit: 'project',
  name: 'projects.setBudget',
  summary: 'Set the budget for the work in a project; null removes the limit.',
  input: z.strictObject({ id: Id, ...fields }),
  example: {
    input: { id: ids.project, limitUsd: 5, period: 'day' },
    output: { budget: { ...exampleBudget, of: 'project', period: 'day' } },
  },
  rest: 'PUT /api/projects/:id/budget',
});

export const setItemBudget = operation({
  ...common,
  audit: 'work_item',
  name: 'workItems.setItemBudget',
  summary: 'Set the budget for the work below an epic, feature or story; null removes the limit.',
  input: z.strictObject({ id: ItemRef, ...fields }),
  example: { input: { id: 'W-E-2', limitUsd: 5 }, output: { budget: exampleBudget } },
  rest: 'PUT /api/work-items/:id/budget',
});

export const setBudget = operation({
  ...common,
  audit: 'project',
  name: 'workItems.setBudget',
  summary:
    'Limit the cost of work in a project, or below an epic, feature or story: once spent, nothing there can be claimed.',
  input: z.strictObject({ projectId: ProjectId.optional(), workItemId: ItemRef.optional(), ...fields }),
  example: { input: { workItemId: 'W-E-2', limitUsd: 5 }, output: { budget: exampleBudget } },
  mcp: { tool: 'set_budget', title: 'Set budget' },
});
