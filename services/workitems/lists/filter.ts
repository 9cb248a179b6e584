import type { Input } from '@worktrack/contracts/operation';
import type { listWorkItems } from '@worktrack/contracts/work-items/list';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardWithColumn, findBoard } from '../boards/boards.repository.ts';
import type { Scope } from '../scope.ts';
import { placeOfParent } from './listed-items.repository.ts';
import type { Where } from './where.ts';

export type ListFilter = Pick<
  Input<typeof listWorkItems>,
  'projectId' | 'boardId' | 'boardColumnId' | 'parentId' | 'type' | 'priority' | 'assignee'
>;

/** The filter contradicts itself, or names what there is not. */
export const NOWHERE = Symbol('nowhere');

/**
 * A column implies its board, a board its project, and children are in the project of their parent: what is implied is checked here, once, and left
 * out of the query.
 */
export async function whereOf(scope: Scope, filter: ListFilter): Promise<Where | typeof NOWHERE> {
  const { projectId, boardId, boardColumnId, parentId, type, priority, assignee } = filter;
  const like = {
    ...(type !== undefined && { type }),
    ...(priority !== undefined && { priority }),
    ...(assignee !== undefined && { assignee }),
  };
  const [board, parent] = await Promise.all([
    boardOf(scope, filter),
    parentId === undefined ? undefined : placeOfParent(scope, parentId),
  ]);
  if (board === null || parent === null || (boardId && board?._id !== boardId)) return NOWHERE;
  const projects = new Set([projectId, board?.projectId, parent?.projectId].filter((id) => id !== undefined));
  if (projects.size > 1) return NOWHERE;
  const place = {
    ...(parent && { parentId: parent._id }),
    ...(boardColumnId ? { boardColumnId } : boardId && { boardId }),
    ...(!parent && !board && projectId && { projectId }),
  };
  return { place, projectId: projects.values().next().value, like };
}

async function boardOf(scope: Scope, { boardId, boardColumnId }: ListFilter): Promise<BoardRecord | null | undefined> {
  if (boardColumnId) return boardWithColumn(scope, boardColumnId);
  return boardId ? findBoard(scope, boardId) : undefined;
}
