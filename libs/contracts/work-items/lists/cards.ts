import { z } from 'zod';
import { exampleSummary, ids, pagination } from '../../examples.ts';
import { BoundedPagination, ColumnRef, deepPaging, Id, ItemRef, NextCursor } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { Cost } from '../costs/sessions.ts';
import { WorkItem, WorkItemSummary } from '../work-item.ts';
import { listWorkItems } from './list.ts';
import { itemFilters } from './list-filters.ts';

const MAX_CARDS_BY_ID = 100;

/** A work item as a board shows it. */
export const Card = WorkItemSummary.extend({
  ...WorkItem.pick({ version: true, position: true }).shape,
  /** The dependencies that are not done yet, as task IDs; one that names no item, as it was written. */
  blockedBy: z.array(z.string()),
  /** The cost of its own sessions, as far as their prices are known, in dollars with six decimals. */
  estimatedCost: Cost,
});
export type Card = z.infer<typeof Card>;

const { search } = listWorkItems.input.shape;

export const listCards = operation({
  name: 'boards.cards',
  summary: 'List the cards of a board, newest first; with boardColumnId, in column order.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    id: Id,
    boardColumnId: ColumnRef.optional(),
    ids: z
      .array(ItemRef)
      .min(1)
      .max(MAX_CARDS_BY_ID)
      .optional()
      .describe('Only these items, as far as they are on the board and match. Not together with search or cursor'),
    search,
    ...itemFilters,
    limit: deepPaging.limit,
    cursor: deepPaging.cursor,
  }),
  output: z.object({ cards: z.array(Card), pagination: BoundedPagination, nextCursor: NextCursor }),
  errors: ['NOT_FOUND'],
  example: {
    input: { id: ids.board, boardColumnId: 'To Do' },
    output: {
      cards: [{ ...exampleSummary, version: 3, position: 7, blockedBy: ['W-T-13'], estimatedCost: '0.000000' }],
      pagination,
      nextCursor: null,
    },
  },
  rest: 'GET /api/boards/:id/cards',
});
