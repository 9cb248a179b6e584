import type { OperationError } from '@worktrack/contracts/errors';
import { findBoard } from '../boards/boards.repository.ts';
import type { FailingScope } from '../calls/scope.ts';
import { exists } from '../calls/within.repository.ts';
import { findProject } from '../projects/projects.repository.ts';
import { columnOfList } from './column-filter.ts';
import { isAnyOf, not } from './conditions.ts';
import { placeOfParent } from './listed-items.repository.ts';
import { namesNothing } from './named.ts';
import { alsoOf, orNobody } from './narrowed.ts';
import { dueOf } from './of-projects.ts';
import { LIKE, type ListFilter, type Where } from './where.ts';

/**
 * A column implies its board, a board its project, and a parent the project of its children. Implied conditions are checked here, once, and left out of the
 * query.
 * @param sessionProjectId the project if the filter names none
 * @param columnField what a refusal calls the column
 * @throws VALIDATION_FAILED for a filter that cannot match anything. A project that nothing else in the filter depends on is not looked up: `requireProjectOf`
 * does that if nothing was found.
 */
export async function whereOf(
  scope: FailingScope<'VALIDATION_FAILED'>,
  filter: ListFilter,
  sessionProjectId: string | undefined,
  columnField: 'boardColumnId' | 'group' = 'boardColumnId',
): Promise<Where> {
  const { boardId, boardColumnId, parentId } = filter;
  const projectId = filter.projectId ?? sessionProjectId;
  if (projectId !== undefined && !exists(scope.caller, projectId))
    throw await namesNothing(scope, 'projectId', projectId);
  const like = likeOf(filter);
  const [boardGiven, parent] = await Promise.all([
    boardId === undefined ? undefined : findBoard(scope, boardId),
    parentId === undefined ? undefined : placeOfParent(scope, parentId),
  ]);
  if (boardGiven === null) throw await namesNothing(scope, 'boardId', boardId as string);
  if (parent === null) throw await namesNothing(scope, 'parentId', parentId as string);
  const near = { board: boardGiven, projectId: projectId ?? parent?.projectId };
  const columns = await Promise.all((boardColumnId ?? []).map((ref) => columnOfList(scope, ref, near, columnField)));
  const [ofColumn] = columns;
  const board = ofColumn?.board ?? boardGiven;
  for (const other of columns) {
    if (boardGiven && other.board._id !== boardGiven._id) {
      throw contradiction(scope, columnField, `is a column of board ${other.board._id}, not of boardId ${boardId}`);
    }
    if (other.board.projectId !== board?.projectId) {
      throw contradiction(scope, columnField, 'names columns of several projects');
    }
  }
  // Without a project, a limited caller means its own.
  const { projects } = scope.caller;
  const onlyOne = projects?.length === 1 ? projects[0] : undefined;
  const inProject = parent?.projectId ?? board?.projectId ?? projectId ?? onlyOne;
  if (board && board.projectId !== inProject) {
    const field = ofColumn ? columnField : 'boardId';
    throw contradiction(scope, field, `is in project ${board.projectId}, but parentId is in project ${inProject}`);
  }
  if (projectId !== undefined && projectId !== inProject) {
    if (filter.projectId !== undefined) await requireProjectOf(scope, filter);
    const field = parent ? 'parentId' : ofColumn ? columnField : 'boardId';
    const other =
      filter.projectId === undefined ? `the session's (${projectId}); add projectId` : `projectId ${projectId}`;
    throw contradiction(scope, field, `is in project ${inProject}, not in ${other}`);
  }
  const onlyBoard = columns.every((each) => each.board._id === board?._id) ? board : undefined;
  const place = {
    ...(parent && { parentId: parent._id }),
    ...(ofColumn && columns.length === 1
      ? { boardColumnId: ofColumn.column.id }
      : onlyBoard && { boardId: onlyBoard._id }),
    ...(!parent && !onlyBoard && inProject && { projectId: inProject }),
  };
  const among = columns.length > 1 && { boardColumnId: columns.map(({ column }) => column.id) };
  const ofCaller = projects && Object.keys(place).length === 0 && { projectId: projects };
  const since = {
    ...(filter.createdAfter !== undefined && { createdAt: new Date(filter.createdAfter) }),
    ...(filter.updatedAfter !== undefined && { updatedAt: new Date(filter.updatedAfter) }),
  };
  const { labels, also } = await alsoOf(scope, filter, { board, projectId: inProject });
  const notIn = await Promise.all(
    (filter.boardColumnIdNot ?? []).map((ref) => columnOfList(scope, ref, near, 'boardColumnIdNot')),
  );
  if (notIn.length > 0)
    also.push(
      not(
        isAnyOf(
          'boardColumnId',
          notIn.map(({ column }) => column.id),
        ),
      ),
    );
  const { due, also: andDue } = await dueOf(scope, filter, { place, projectId: inProject });
  const allLike = { ...like, ...labels, ...among, ...ofCaller };
  return { place, projectId: inProject, like: allLike, also: [...also, ...andDue], due, since };
}

function likeOf(filter: ListFilter): Where['like'] {
  const given = LIKE.filter((field) => filter[field] !== undefined).map((field) => {
    const values: readonly (string | undefined)[] = [filter[field]].flat();
    return [field, field === 'assignee' ? values.map(orNobody) : values];
  });
  return Object.fromEntries(given);
}

/** If a list is empty: nothing else distinguishes a project without such items from a missing one. */
export async function requireProjectOf(
  scope: FailingScope<'VALIDATION_FAILED'>,
  { projectId }: ListFilter,
): Promise<void> {
  if (projectId === undefined || (await findProject(scope, projectId))) return;
  throw await namesNothing(scope, 'projectId', projectId);
}

function contradiction({ fail }: FailingScope<'VALIDATION_FAILED'>, path: string, message: string): OperationError {
  return fail('VALIDATION_FAILED', `${path} ${message}: nothing can match both.`, { details: [{ path, message }] });
}
