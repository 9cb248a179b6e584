import type { createWorkItem as operation } from '@worktrack/contracts/work-items/changes/create';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import { requireBoardForWrite } from '../boards/boards.repository.ts';
import { requireColumn } from '../boards/columns.ts';
import { requireItem } from '../items/items.repository.ts';
import { projectForWrite } from '../projects/projects.repository.ts';
import { createItem } from './create-item.ts';

export const createWorkItem: WriteGrouped<typeof operation> = async (input, context) => {
  const board = await requireBoardForWrite(context, input.boardId);
  const column = requireColumn(context, board, input.boardColumnId);
  const projectId = input.projectId ?? context.caller.sessionProjectId ?? board.projectId;
  if (projectId !== board.projectId) {
    const message = `is ${board.projectId} for the board "${board.name}", not ${projectId}`;
    throw context.fail('VALIDATION_FAILED', `The project ${message}. Choose a board of that project.`, {
      details: [{ path: 'projectId', message }],
    });
  }
  const project = await projectForWrite(context, projectId);
  const parent = input.parentId === undefined ? undefined : await requireItem(context, input.parentId);
  return createItem(context, input, { project, board, column, parent });
};
