import type { deleteBoard as operation } from '@worktrack/contracts/projects/board-operations';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { removeBoard, requireBoard } from '../boards/boards.repository.ts';
import { countsOf, holdColumns } from '../boards/tallies.repository.ts';
import { forgetPlaces } from '../moves/position.ts';
import { requireProject } from '../projects/projects.repository.ts';

/**
 * New items go to the default board, so that one stays. Nothing can be put on the board meanwhile: that would write one of the tallies that this transaction has
 * written, and so would making it the default.
 */
export const deleteBoard: WriteAlone<typeof operation> = async ({ id }, context) => {
  await holdColumns(context, { boardId: id });
  const board = await requireBoard(context, id);
  const { defaultBoardId } = await requireProject(context, board.projectId);
  if (defaultBoardId === id) {
    throw context.fail(
      'CONFLICT',
      `Board "${board.name}" is the default of its project. Make another one the default before you delete it.`,
      { reason: 'default_board' },
    );
  }
  const count = [...(await countsOf(context, { boardId: id })).values()].reduce((sum, items) => sum + items, 0);
  if (count > 0) {
    const items = count === 1 ? '1 work item' : `${count} work items`;
    throw context.fail('CONFLICT', `Board "${board.name}" holds ${items}. Delete them before you delete the board.`, {
      reason: 'not_empty',
    });
  }
  await forgetPlaces(context, [id]);
  await removeBoard(context, board);
  return { deleted: true, id };
};
