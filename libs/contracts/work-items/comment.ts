import { z } from 'zod';
import { exampleEvent } from '../examples.ts';
import { ItemRef } from '../fields.ts';
import { operation } from '../operation.ts';
import { HistoryEvent } from './history-event.ts';

export const addWorkItemComment = operation({
  name: 'workItems.comment',
  summary: 'Add a comment to the history of a work item.',
  permissions: ['work-items:write'],
  effect: 'create',
  input: z.strictObject({ workItemId: ItemRef, text: z.string().trim().min(1).max(10_000) }),
  output: z.object({ event: HistoryEvent }),
  errors: ['NOT_FOUND'],
  example: {
    input: { workItemId: 'W-T-14', text: 'The colours are agreed.' },
    output: { event: { ...exampleEvent, eventType: 'comment', data: { text: 'The colours are agreed.' } } },
  },
  rest: 'POST /api/work-items/:workItemId/comments',
  mcp: { tool: 'add_work_item_comment', title: 'Comment on work item' },
});
