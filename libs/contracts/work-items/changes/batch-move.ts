import { z } from 'zod';
import { column, exampleSummary } from '../../examples.ts';
import { ColumnRef, ItemRef } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { warnings } from '../../warnings.ts';
import { byHand, forcedBy } from '../by-hand.ts';
import { WorkItem, WorkItemSummary } from '../work-item.ts';
import { AiProvider } from './move.ts';

export const MAX_BATCH_MOVE = 500;

export const batchMoveWorkItems = operation({
  name: 'workItems.batchMove',
  summary: 'Move up to 500 work items to a column of their board. Parents do not follow; positions stay.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z.strictObject({
    workItemIds: z.array(ItemRef).min(1).max(MAX_BATCH_MOVE),
    boardColumnId: ColumnRef,
    fromColumnId: ColumnRef.optional().describe('Only items that are still in this column; the others are skipped'),
    setAiProcessing: z.boolean().optional(),
    aiProvider: AiProvider.optional().describe('With setAiProcessing'),
    ...byHand,
  }),
  output: z.object({
    movedCount: z.int(),
    items: z.array(WorkItemSummary.extend(WorkItem.pick({ version: true }).shape)),
    // The id as given.
    skipped: z.array(
      z.object({
        id: z.string(),
        reason: z.string(),
        /** What would have moved it. */
        needs: z.enum(['takeOver', 'force']).optional(),
      }),
    ),
    note: z.string(),
    ...warnings,
  }),
  errors: [],
  ...forcedBy,
  example: {
    input: { workItemIds: ['W-T-14', 'W-T-99'], boardColumnId: column('To Do') },
    output: {
      movedCount: 1,
      items: [{ ...exampleSummary, version: 4 }],
      skipped: [{ id: 'W-T-99', reason: 'There is no such work item.' }],
      note: 'Bulk update: cascade and position logic was not run. Parents stay, and each item keeps its position value.',
    },
  },
  rest: 'POST /api/work-items/batch-move',
  mcp: {
    tool: 'batch_move_work_items',
    title: 'Move many work items',
    unlisted: ['fromColumnId', 'setAiProcessing', 'aiProvider'],
  },
});
