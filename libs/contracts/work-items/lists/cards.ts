import { z } from 'zod';
import { column, exampleSummary, ids, pagination, times } from '../../examples.ts';
import { BoundedPagination, ColumnRef, deepPaging, Id, ItemRef, NextCursor, RecordId } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { Cost } from '../costs/sessions.ts';
import { WorkItem, WorkItemSummary } from '../work-item.ts';
import { listWorkItems } from './list.ts';
import { columnFilters, itemFilters, refuseReversedDays, timeFilters } from './list-filters.ts';

const MAX_CARDS_BY_ID = 100;
export const MAX_GROUPS = 500;

/** A work item as boards and tables show it. */
export const Card = WorkItemSummary.extend({
  ...WorkItem.pick({ version: true, position: true, createdAt: true, updatedAt: true }).shape,
  /** The dependencies that are not done yet, as task IDs; one that names no item, as it was written. */
  blockedBy: z.array(z.string()),
  /** The cost of its own sessions, as far as their prices are known, in dollars with six decimals. */
  estimatedCost: Cost,
  /** The one that it is, or is below. */
  epic: z.object({ id: RecordId, taskId: z.string(), title: z.string() }).nullable(),
});
export type Card = z.infer<typeof Card>;

const { search, sort, boardId, parentId } = listWorkItems.input.shape;

const onlyIds = z
  .array(ItemRef)
  .min(1)
  .max(MAX_CARDS_BY_ID)
  .optional()
  .describe('Only these items, as far as they match. Not together with search or cursor');

const output = z.object({ cards: z.array(Card), pagination: BoundedPagination, nextCursor: NextCursor });
export const exampleCard: Card = {
  ...{ ...exampleSummary, version: 3, position: 7, blockedBy: ['W-T-13'], estimatedCost: '0.000000' },
  ...{ createdAt: times.createdAt, updatedAt: times.updatedAt },
  epic: { id: ids.epic, taskId: 'W-E-2', title: 'Themes' },
};

export const listCards = operation({
  name: 'boards.cards',
  summary: 'List the cards of a board, newest first; with boardColumnId, in column order.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z
    .strictObject({
      id: Id,
      boardColumnId: ColumnRef.optional(),
      ids: onlyIds,
      search,
      ...itemFilters,
      limit: deepPaging.limit,
      cursor: deepPaging.cursor,
    })
    .superRefine(refuseReversedDays),
  output,
  errors: ['NOT_FOUND'],
  example: {
    input: { id: ids.board, boardColumnId: 'To Do' },
    output: { cards: [exampleCard], pagination, nextCursor: null },
  },
  rest: 'GET /api/boards/:id/cards',
});

/** What a table of items can be divided into. */
export const GROUPINGS = ['column', 'epic', 'assignee', 'priority', 'label', 'agentState', 'type'] as const;
const Grouping = z.enum(GROUPINGS);
export type Grouping = z.infer<typeof Grouping>;

const filters = {
  ...{ id: Id, search, boardId, ...columnFilters, parentId },
  ...itemFilters,
  ...timeFilters,
};

export const listProjectCards = operation({
  name: 'projects.cards',
  summary: 'List the cards of a project, newest first; with one boardColumnId, in column order; or as sort says.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z
    .strictObject({
      ...filters,
      ids: onlyIds,
      sort,
      groupBy: Grouping.optional(),
      group: z.string().max(200).optional().describe('With groupBy: only those of this group, by its key'),
      ...deepPaging,
    })
    .superRefine(refuseReversedDays),
  output,
  errors: ['NOT_FOUND'],
  example: {
    input: { id: ids.project, sort: 'priority,dueDate', groupBy: 'epic', group: ids.epic },
    output: { cards: [exampleCard], pagination, nextCursor: null },
  },
  rest: 'GET /api/projects/:id/cards',
});

export const listGroups = operation({
  name: 'projects.groups',
  summary: 'Count the cards of a project in groups. A card with several labels is in several groups.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({ ...filters, groupBy: Grouping }).superRefine(refuseReversedDays),
  output: z.object({
    /** Groups without cards are left out, and the group of items without a value comes last. */
    groups: z
      .array(
        z.object({
          /** An id, an assignee’s name, a value, or `none`. */
          key: z.string(),
          /** Of a column, an epic or a label. */
          name: z.string().nullable(),
          count: z.int(),
        }),
      )
      .max(MAX_GROUPS),
    /** How many cards match. */
    total: z.int(),
    /** There are more, which are not counted. */
    totalIsLowerBound: z.literal(true).optional(),
    /** There are more groups. */
    truncated: z.literal(true).optional(),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: { id: ids.project, groupBy: 'column', priority: 'high' },
    output: {
      groups: [
        { key: column('To Do'), name: 'To Do', count: 12 },
        { key: column('Review'), name: 'Review', count: 3 },
      ],
      total: 15,
    },
  },
  rest: 'GET /api/projects/:id/cards/groups',
});
