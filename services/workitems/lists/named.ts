import type { OperationError } from '@worktrack/contracts/errors';
import { isUuid, WHERE_PROJECT_IDS_ARE } from '@worktrack/contracts/fields';
import { boardWithColumn, findBoard } from '../boards/boards.repository.ts';
import { columnById } from '../boards/columns.ts';
import type { FailingScope, Scope } from '../calls/scope.ts';
import { findProject } from '../projects/projects.repository.ts';
import { listedItem } from './listed-items.repository.ts';

/** The list filters that refer to something, each with its kind and how to find its ids. */
const FILTERS = {
  projectId: { kind: 'project', found: WHERE_PROJECT_IDS_ARE },
  boardId: { kind: 'board', found: WHERE_PROJECT_IDS_ARE },
  boardColumnId: { kind: 'board column', found: 'get_board (GET /api/boards/:id) shows the columns of a board' },
  epic: { kind: 'epic', found: 'type=epic lists those of a project' },
  parentId: { kind: 'work item', found: 'list_work_items (GET /api/work-items) finds work items by their titles' },
} as const;
type Filter = keyof typeof FILTERS;

/**
 * Error for a filter that refers to nothing in the organization, or to another kind of object: it would match nothing and look as if there were nothing.
 * Looks up what it does refer to, since this happens only by mistake.
 * @param asked the filter, or its opposite
 */
export async function namesNothing(
  scope: FailingScope<'VALIDATION_FAILED'>,
  field: Filter,
  ref: string,
  asked: string = field,
): Promise<OperationError> {
  const named = await thingNamed(scope, ref);
  const { kind, found } = FILTERS[field];
  const message =
    named && named.field !== field
      ? `${ref} is ${named.what}, not ${field === 'epic' ? 'an' : 'a'} ${kind}; pass it as ${named.field}`
      : `there is no ${kind} ${ref}`;
  const way = named && named.field !== field ? '' : ` ${found}.`;
  return scope.fail('VALIDATION_FAILED', `${asked}: ${message}.${way}`, { details: [{ path: asked, message }] });
}

async function thingNamed(
  scope: Scope,
  ref: string,
): Promise<{ readonly field: Filter; readonly what: string } | undefined> {
  if (!isUuid(ref)) return undefined;
  const [project, board, boardOfColumn, item] = await Promise.all([
    findProject(scope, ref),
    findBoard(scope, ref),
    boardWithColumn(scope, ref),
    listedItem(scope, ref),
  ]);
  if (project) return { field: 'projectId', what: `the project "${project.name}"` };
  if (board) return { field: 'boardId', what: `the board "${board.name}"` };
  if (boardOfColumn) {
    const column = columnById(boardOfColumn, ref);
    return { field: 'boardColumnId', what: `the column "${column?.name}" of board "${boardOfColumn.name}"` };
  }
  return item ? { field: 'parentId', what: `the work item ${item.taskId}` } : undefined;
}
