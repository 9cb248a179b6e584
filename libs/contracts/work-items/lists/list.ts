import { z } from 'zod';
import { exampleSummary, pagination } from '../../examples.ts';
import { BoundedPagination, deepPaging, Id, ItemRef, NextCursor, ProjectId } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { itemFields, WorkItemSummary } from '../work-item.ts';
import { columnFilters, itemFilters, refuseReversedDays, Sort, timeFilters, UNLISTED_FILTERS } from './list-filters.ts';

export const listWorkItems = operation({
  name: 'workItems.list',
  summary: 'List work items, newest first; with boardColumnId, in column order; or as sort says.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z
    .strictObject({
      ...deepPaging,
      search: z
        .string()
        .max(200)
        .optional()
        .describe('Prefixes of words in title, description, comments and attachment names, or a task ID'),
      projectId: ProjectId.optional(),
      boardId: Id.optional(),
      ...columnFilters,
      parentId: ItemRef.optional(),
      ...itemFilters,
      ...timeFilters,
      sort: Sort.optional(),
      externalId: itemFields.externalId.optional(),
    })
    .superRefine(refuseReversedDays),
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
    unlisted: UNLISTED_FILTERS,
    description:
      'To browse by column, parent, assignee or words. If you have IDs: resolve_work_items. Before planning something new: get_ideation_context.',
  },
});
