import { z } from 'zod';
import { column, exampleTask, ids } from '../../examples.ts';
import { ColumnRef, ItemRef, oneLine, RecordId } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { warnings } from '../../warnings.ts';
import { byHand, forcedBy } from '../by-hand.ts';
import { ExpectedVersion, WorkItem } from '../work-item.ts';

/** A parent that followed its children. */
export const CascadedMove = z.object({
  id: RecordId,
  taskId: z.string(),
  fromColumn: z.string(),
  toColumn: z.string(),
});
export type CascadedMove = z.infer<typeof CascadedMove>;

export const ColumnPosition = z.union([z.enum(['first', 'last']), z.strictObject({ after: ItemRef })]);
export type ColumnPosition = z.infer<typeof ColumnPosition>;

export const AiProvider = oneLine(100);

export const moveWorkItem = operation({
  name: 'workItems.move',
  summary: 'Move a work item to another column of its board; parents follow their children.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z.strictObject({
    workItemId: ItemRef,
    boardColumnId: ColumnRef,
    isAutoSync: z.boolean().default(false).describe('This move results from another: parents stay'),
    setAiProcessing: z.boolean().optional(),
    aiProvider: AiProvider.optional().describe('With setAiProcessing'),
    position: ColumnPosition.default('last'),
    version: ExpectedVersion.optional().describe('The version that you read: CONFLICT if it has changed'),
    ...byHand,
  }),
  output: z.object({
    workItem: WorkItem,
    fromColumn: z.string(),
    toColumn: z.string(),
    cascaded: z.array(CascadedMove),
    ...warnings,
  }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  ...forcedBy,
  example: {
    input: { workItemId: 'W-T-14', boardColumnId: column('In Progress') },
    output: {
      workItem: exampleTask('In Progress', { isAiProcessing: true, version: 4 }),
      fromColumn: 'To Do',
      toColumn: 'In Progress',
      cascaded: [{ id: ids.story, taskId: 'W-S-9', fromColumn: 'Backlog', toColumn: 'In Progress' }],
    },
  },
  rest: 'POST /api/work-items/:workItemId/move',
  mcp: {
    tool: 'move_work_item',
    title: 'Move work item',
    description:
      'To change only the column. For finished work: complete_ai_task, complete_review, complete_validation, which also record it.',
    omit: ['position', 'version'],
    unlisted: ['setAiProcessing', 'aiProvider'],
  },
});
