import { z } from 'zod';
import { exampleBoard, ids } from '../examples.ts';
import { BoardId, Id, MAX_COLUMN_NAME_LENGTH, oneLine, ReadVersion, RecordId } from '../fields.ts';
import { operation } from '../operation.ts';
import { warnings } from '../warnings.ts';
import { Board, ColumnLimit, MAX_COLUMNS } from './board.ts';
import { ColumnRole } from './column-roles.ts';

/** Per project: their list is one response. */
export const MAX_BOARDS = 200;

const name = oneLine(200);
const column = {
  name: oneLine(MAX_COLUMN_NAME_LENGTH),
  role: ColumnRole.nullable().optional(),
  limit: ColumnLimit.nullable().optional(),
};

function columnList<Entry extends z.ZodType<{ name: string }>>(entry: Entry) {
  return (
    z
      .array(entry)
      .min(1)
      .max(MAX_COLUMNS)
      .superRefine((columns, context) => {
        const seen = new Set<string>();
        columns.forEach((column, index) => {
          if (seen.has(column.name)) {
            const message = `must be unique on the board, and "${column.name}" appears twice`;
            context.addIssue({ code: 'custom', path: [index, 'name'], message });
          }
          seen.add(column.name);
        });
      })
      // All that JSON Schema can say about two entries with the same name.
      .meta({ uniqueItems: true })
  );
}

export const listBoards = operation({
  name: 'boards.list',
  summary: 'List the boards of a project with their columns, oldest first.',
  permissions: ['projects:read'],
  effect: 'read',
  input: z.strictObject({ id: Id }),
  output: z.array(Board),
  errors: ['NOT_FOUND'],
  example: { input: { id: ids.project }, output: [exampleBoard] },
  rest: 'GET /api/projects/:id/boards',
});

export const createBoard = operation({
  name: 'boards.create',
  summary: 'Add a board to a project, with the eight standard columns unless columns are given.',
  permissions: ['projects:write'],
  audit: 'board',
  effect: 'create',
  input: z.strictObject({
    id: Id,
    name,
    columns: columnList(z.strictObject(column))
      .optional()
      .describe('The default role is that of the name. A limit of work in progress is shown, and refuses nothing'),
  }),
  output: Board,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { input: { id: ids.project, name: 'Board' }, output: exampleBoard },
  rest: 'POST /api/projects/:id/boards',
});

export const getBoard = operation({
  name: 'boards.get',
  summary: 'Get a board with its columns.',
  permissions: ['projects:read'],
  effect: 'read',
  input: z.strictObject({ id: BoardId.optional().describe('Default: the session project’s') }),
  output: Board,
  errors: ['NOT_FOUND'],
  example: { input: { id: ids.board }, output: exampleBoard },
  rest: 'GET /api/boards/:id',
  mcp: { tool: 'get_board', title: 'Get board', names: { id: 'boardId' } },
});

export const updateBoard = operation({
  name: 'boards.update',
  summary:
    'Rename a board, or give its complete list of columns in the new order. An entry without `id` is a new column; an omitted column is removed if it is empty. A column keeps its role and its limit unless new ones are given.',
  permissions: ['projects:write'],
  audit: 'board',
  effect: 'update',
  input: z.strictObject({
    id: Id,
    name: name.optional(),
    columns: columnList(z.strictObject({ id: Id.optional(), ...column })).optional(),
    version: ReadVersion.optional(),
  }),
  output: Board.extend(warnings),
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { input: { id: ids.board, name: 'Sprint' }, output: { ...exampleBoard, name: 'Sprint' } },
  rest: 'PATCH /api/boards/:id',
});

export const deleteBoard = operation({
  name: 'boards.delete',
  summary: 'Delete a board that has no work items and is not the default of its project.',
  permissions: ['projects:write'],
  audit: 'board',
  effect: 'delete',
  input: z.strictObject({ id: Id }),
  output: z.object({ deleted: z.literal(true), id: RecordId }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { input: { id: ids.board }, output: { deleted: true, id: ids.board } },
  rest: 'DELETE /api/boards/:id',
});
