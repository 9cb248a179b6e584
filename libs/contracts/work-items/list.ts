import { z } from 'zod';
import { exampleSummary, pagination } from '../examples.ts';
import { BoundedPagination, ColumnRef, deepPaging, Id, ItemRef, NextCursor, ProjectId } from '../fields.ts';
import { operation } from '../operation.ts';
import { plainFields } from './plain-fields.ts';
import { ItemType, itemFields, LEASE_STATES, WorkItemSummary } from './work-item.ts';

export const listWorkItems = operation({
  name: 'workItems.list',
  summary: 'List work items, newest first; with boardColumnId, in column order.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    ...deepPaging,
    search: z.string().max(200).optional().describe('Prefixes of words in title or description, or a task ID'),
    projectId: ProjectId.optional(),
    boardId: Id.optional(),
    boardColumnId: ColumnRef.optional(),
    parentId: ItemRef.optional(),
    type: ItemType.optional(),
    ...plainFields.filters,
    assignee: z.string().max(200).optional(),
    leaseState: z.enum([...LEASE_STATES, 'stalled']).optional(),
    externalId: itemFields.externalId.optional(),
  }),
  output: z.object({ workItems: z.array(WorkItemSummary), pagination: BoundedPagination, nextCursor: NextCursor }),
  errors: [],
  example: {
    input: { search: 'dark', type: 'task' },
    output: { workItems: [exampleSummary], pagination, nextCursor: null },
  },
  rest: 'GET /api/work-items',
  mcp: {
    tool: 'list_work_items',
    title: 'List work items',
    description:
      'To browse by column, parent, assignee or words. If you have IDs: resolve_work_items. Before planning something new: get_ideation_context.',
  },
});
