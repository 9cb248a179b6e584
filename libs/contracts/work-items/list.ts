import { z } from 'zod';
import { exampleSummary, pagination } from '../examples.ts';
import { BoundedPagination, deepPaging, Id, ItemRef, NextCursor } from '../fields.ts';
import { operation } from '../operation.ts';
import { ItemType, Priority, WorkItemSummary } from './work-item.ts';

export const listWorkItems = operation({
  name: 'workItems.list',
  summary: 'List work items, newest first; with boardColumnId in the order of the column.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    ...deepPaging,
    search: z.string().max(200).optional().describe('Prefixes of words in title or description, or a task ID'),
    projectId: Id.optional(),
    boardId: Id.optional(),
    boardColumnId: Id.optional(),
    parentId: ItemRef.optional(),
    type: ItemType.optional(),
    priority: Priority.optional(),
    assignee: z.string().max(200).optional(),
  }),
  output: z.object({ workItems: z.array(WorkItemSummary), pagination: BoundedPagination, nextCursor: NextCursor }),
  errors: [],
  example: {
    input: { search: 'dark', type: 'task' },
    output: { workItems: [exampleSummary], pagination, nextCursor: null },
  },
  rest: 'GET /api/work-items',
  mcp: { tool: 'list_work_items', title: 'List work items' },
});
