import { isUuid, WHERE_PROJECT_IDS_ARE } from '@worktrack/contracts/fields';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { boardsOfProject, boardWithColumn } from '../boards/boards.repository.ts';
import { columnById, columnMeant, noSuchColumn } from '../boards/columns.ts';
import type { FailingScope } from '../calls/scope.ts';
import { onlyProject } from '../projects/projects.repository.ts';
import { namesNothing } from './named.ts';

export interface BoardColumn {
  readonly board: BoardRecord;
  readonly column: ColumnRecord;
}

/**
 * The column to list. A name is looked up on the list's board, or else on all boards of its project, where it must be
 * unique.
 * @param path the filter that names it, for refusals
 */
export async function columnOfList(
  scope: FailingScope<'VALIDATION_FAILED'>,
  ref: string,
  { board, projectId }: { readonly board: BoardRecord | undefined; readonly projectId: string | undefined },
  path = 'boardColumnId',
): Promise<BoardColumn> {
  if (isUuid(ref)) {
    const its = await boardWithColumn(scope, ref);
    const column = its && columnById(its, ref);
    if (column) return { board: its, column };
  }
  const boards = board ? [board] : await boardsOf(scope, projectId);
  const candidates = boards.flatMap((each) => {
    const column = columnMeant(each, ref);
    return column ? [{ board: each, column }] : [];
  });
  const [only] = candidates;
  if (only && candidates.length === 1) return only;
  if (candidates.length > 1) {
    const columns = candidates.map((each) => `${each.column.id} (board "${each.board.name}", ${each.board._id})`);
    const message = `${candidates.length} boards of the project have a column ${JSON.stringify(ref)}; add boardId, or pass the column's id`;
    throw scope.fail('VALIDATION_FAILED', `${path}: ${message}: ${columns.join(', ')}.`, {
      details: [{ path, message }],
    });
  }
  const [first] = boards;
  if (isUuid(ref)) throw await namesNothing(scope, 'boardColumnId', ref, path);
  if (first) throw noSuchColumn(scope, first, ref, path);
  const message = 'is the name of a column: add the boardId or projectId that it belongs to';
  throw scope.fail('VALIDATION_FAILED', `${path} ${message}. ${WHERE_PROJECT_IDS_ARE}.`, {
    details: [{ path, message }],
  });
}

async function boardsOf(scope: FailingScope<never>, projectId: string | undefined): Promise<BoardRecord[]> {
  const id = projectId ?? (await onlyProject(scope))?._id;
  return id === undefined ? [] : boardsOfProject(scope, id);
}
