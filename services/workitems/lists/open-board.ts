import { MAX_PAGE_SIZE } from '@worktrack/contracts/fields';
import type { FailureOf, Output } from '@worktrack/contracts/operation';
import type { openBoard as operation } from '@worktrack/contracts/work-items/lists/open-board';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { listBoards } from '../administration/read-boards.ts';
import { getProject, listProjects } from '../administration/read-projects.ts';
import { requireBoard } from '../boards/boards.repository.ts';
import { listColumns } from './cards.ts';

type Context = ReadContext<FailureOf<typeof operation>>;

/** As many cards as all columns together begin with at most: a board of fifty columns shows a few of each. */
const MAX_CARDS = 400;
/**
 * Limits the rework instructions of returned tasks, up to 60 kB each. With everything else, an answer must stay below its limit
 * (libs/rpc/server/call-runner.ts).
 */
const MAX_REWORK_BYTES = 2 * 1024 * 1024;

/** What the console would otherwise ask for one after the other: which projects there are, their boards, and each column. */
export const openBoard: Read<typeof operation> = async ({ projectId, boardId, limit, ...filters }, context) => {
  const { projects, nextCursor } = await listProjects({ page: 1, limit: MAX_PAGE_SIZE }, context);
  const known = { projects: { projects, nextCursor } };
  const id = projectId ?? (boardId ? (await requireBoard(context, boardId)).projectId : newestOf(projects, context));
  if (!id) return { ...known, boards: [], boardId: null, columns: [] };
  const boards = await listBoards({ id }, context);
  const wanted =
    boardId ?? (projects.find((each) => each.id === id) ?? (await getProject({ id }, context))).defaultBoardId;
  const board = boards.find((each) => each.id === wanted);
  if (!board) throw context.fail('NOT_FOUND', `There is no board ${wanted} in this project.`);
  for (let each = Math.max(1, Math.min(limit, Math.floor(MAX_CARDS / board.columns.length))); ; ) {
    const columns = await listColumns(board, { ...filters, limit: each }, context);
    const bytes = bytesOfRework(columns);
    if (bytes <= MAX_REWORK_BYTES || each === 1) return { ...known, boards, boardId: board.id, columns };
    each = Math.max(1, Math.floor((each * MAX_REWORK_BYTES) / bytes));
  }
};

function bytesOfRework(columns: Output<typeof operation>['columns']): number {
  const all = columns.flatMap(({ cards }) => cards.flatMap(({ rework }) => rework ?? []));
  return all.reduce((sum, rework) => sum + Buffer.byteLength(JSON.stringify(rework)), 0);
}

function newestOf(projects: readonly { readonly id: string }[], { caller }: Context): string | undefined {
  return caller.sessionProjectId ?? projects[0]?.id;
}
