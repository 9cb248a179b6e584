import { z } from 'zod';
import { column, exampleBoard, exampleProject, ids, pagination } from '../../examples.ts';
import { Id, RecordId } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { Board } from '../../projects/board.ts';
import { listProjects } from '../../projects/project-operations.ts';
import { exampleCard, listCards } from './cards.ts';
import { itemFilters, refuseReversedDays } from './list-filters.ts';

const { cards, pagination: totals, nextCursor } = listCards.output.shape;

export const openBoard = operation({
  name: 'boards.open',
  summary: 'Get the first screen of a board in one answer: projects, boards, and the first cards of each column.',
  permissions: ['projects:read', 'work-items:read'],
  effect: 'read',
  input: z
    .strictObject({
      projectId: Id.optional().describe('The newest project if absent'),
      boardId: Id.optional().describe("The project's default board if absent"),
      search: listCards.input.shape.search,
      ...itemFilters,
      limit: z.int().min(1).max(50).default(25).describe('Of cards per column'),
    })
    .superRefine(refuseReversedDays),
  output: z.object({
    /** As GET /api/projects lists them. */
    projects: listProjects.output.pick({ projects: true, nextCursor: true }),
    /** Of the project; empty if there is no project yet. */
    boards: z.array(Board),
    /** The one that is shown; null if there is no project yet. */
    boardId: RecordId.nullable(),
    /** Each as GET /api/boards/:id/cards lists it, which its nextCursor continues. */
    columns: z.array(z.object({ boardColumnId: RecordId, cards, pagination: totals, nextCursor })),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: { projectId: ids.project },
    output: {
      projects: { projects: [exampleProject], nextCursor: null },
      boards: [exampleBoard],
      boardId: ids.board,
      columns: [{ boardColumnId: column('To Do'), cards: [exampleCard], pagination, nextCursor: null }],
    },
  },
  rest: 'GET /api/board-view',
});
