import { z } from 'zod';
import { ItemRef } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { truncation } from '../../truncation.ts';
import { Budget } from '../costs/budget.ts';
import { AiSession } from '../costs/sessions.ts';
import { UsageTotals } from '../costs/usage.ts';
import { PlacedItem } from './context.ts';

/** The step of `feedback.link` that checks whether the item is an idea. Neither a route nor a tool. */
export const getItemBrief = operation({
  name: 'workItems.brief',
  summary: 'Say what kind of item a work item is.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({ id: ItemRef }),
  output: PlacedItem,
  errors: ['NOT_FOUND'],
});

/** The work items part of a trace. Neither a route nor a tool. */
export const getLineage = operation({
  name: 'workItems.lineage',
  summary: 'The idea that an item came from, what was made of the item, and the cost of it all.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({ id: ItemRef }),
  output: z.object({
    workItem: PlacedItem,
    idea: PlacedItem.nullable(),
    descendants: z.array(PlacedItem),
    sessions: z.array(AiSession),
    totals: UsageTotals,
    budget: Budget.nullable(),
    ...truncation(['descendants', 'sessions']),
  }),
  errors: ['NOT_FOUND'],
});
