import type { ColumnRole } from '@worktrack/contracts/projects/column-roles';
import type { BoardMap } from '@worktrack/contracts/work-items/agents/context';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardsWith } from '../boards/boards.repository.ts';
import { columnOfRole } from '../boards/columns.ts';
import type { FailingScope } from '../calls/scope.ts';
import type { PlannedItem } from '../items/shown/views.ts';
import { requireProject } from '../projects/projects.repository.ts';

export function boardMap(board: BoardRecord): BoardMap {
  const first = (role: ColumnRole) => columnOfRole(board, role)?.id ?? null;
  return {
    id: board._id,
    columns: board.columns.map(({ id, name }) => ({ id, name })),
    backlogColumnId: first('backlog'),
    inProgressColumnId: first('in_progress'),
    reviewColumnId: first('review'),
    validatingColumnId: first('validating'),
    toDocumentColumnId: first('to_document'),
    doneColumnId: first('done'),
  };
}

/** The board with most of the items; without items, the project's default board. */
export async function boardFor(
  scope: FailingScope<'NOT_FOUND'>,
  items: readonly Pick<PlannedItem, 'boardId'>[],
  boards: ReadonlyMap<string, BoardRecord>,
  projectId: string | undefined,
): Promise<BoardMap | null> {
  const board = items.length > 0 ? boardOfMost(items, boards) : await defaultBoard(scope, projectId);
  return board ? boardMap(board) : null;
}

export function boardOfMost(
  items: readonly Pick<PlannedItem, 'boardId'>[],
  boards: ReadonlyMap<string, BoardRecord>,
): BoardRecord | undefined {
  const counts = new Map<string, number>();
  for (const { boardId } of items) counts.set(boardId, (counts.get(boardId) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most ? boards.get(most[0]) : undefined;
}

async function defaultBoard(scope: FailingScope<'NOT_FOUND'>, projectId: string | undefined) {
  if (projectId === undefined) return undefined;
  const { defaultBoardId } = await requireProject(scope, projectId);
  return (await boardsWith(scope, [{ boardId: defaultBoardId }])).get(defaultBoardId);
}
