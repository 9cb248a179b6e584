import { MAX_BOARDS, type createBoard as operation } from '@worktrack/contracts/projects/board-operations';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { countBoards, insertBoard, toBoard } from '../boards/boards.repository.ts';
import { holdProject, requireProject } from '../projects/projects.repository.ts';
import { lackingRoles, newColumn, standardColumns } from './board-columns.ts';

export const createBoard: WriteAlone<typeof operation> = async ({ id: projectId, name, columns }, context) => {
  await holdProject(context, projectId);
  const { dependencyMet, labels } = await requireProject(context, projectId);
  if ((await countBoards(context, projectId)) >= MAX_BOARDS) {
    throw context.fail(
      'CONFLICT',
      `The project has ${MAX_BOARDS} boards, which is the limit. Give one of them other columns.`,
      { reason: 'limit' },
    );
  }
  const wanted = columns?.map(newColumn) ?? standardColumns();
  const lacking = lackingRoles(wanted);
  if (lacking) {
    throw context.fail('VALIDATION_FAILED', `columns ${lacking}.`, {
      details: [{ path: 'columns', message: lacking }],
    });
  }
  return toBoard(
    await insertBoard(context, {
      ...{ projectId, name, columns: wanted },
      ...(dependencyMet && { dependencyMet }),
      ...(labels && { labels }),
    }),
  );
};
