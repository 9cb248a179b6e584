import { z } from 'zod';
import { exampleSummary, pagination } from '../examples.ts';
import { Id, ItemRef, Pagination, paging } from '../fields.ts';
import { operation } from '../operation.ts';
import { ItemType, Priority, WorkItemSummary } from './work-item.ts';

export const listWorkItems = operation({
  name: 'workItems.list',
  summary: 'List work items, newest first; with boardColumnId in the order of the column.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    ...paging,
    search: z.string().max(200).optional().describe('Prefixes of words in title or description, or a task ID'),
    projectId: Id.optional(),
    boardId: Id.optional(),
    boardColumnId: Id.optional(),
    parentId: ItemRef.optional(),
    type: ItemType.optional(),
    priority: Priority.optional(),
    assignee: z.string().max(200).optional(),
  }),
  output: z.object({ workItems: z.array(WorkItemSummary), pagination: Pagination }),
  errors: [],
  example: { input: { search: 'dark', type: 'task' }, output: { workItems: [exampleSummary], pagination } },
  rest: 'GET /api/work-items',
  mcp: { tool: 'list_work_items', title: 'List work items' },
});
