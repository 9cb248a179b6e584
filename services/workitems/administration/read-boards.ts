import { WHERE_PROJECT_IDS_ARE } from '@worktrack/contracts/fields';
import type { FailureOf } from '@worktrack/contracts/operation';
import type {
  getBoard as getOperation,
  listBoards as listOperation,
} from '@worktrack/contracts/projects/board-operations';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { boardsOfProject, requireBoard, toBoard } from '../boards/boards.repository.ts';
import { requireProject } from '../projects/projects.repository.ts';

export const listBoards: Read<typeof listOperation> = async ({ id }, context) => {
  await requireProject(context, id);
  return (await boardsOfProject(context, id)).map(toBoard);
};

export const getBoard: Read<typeof getOperation> = async ({ id }, context) => {
  return toBoard(await requireBoard(context, id ?? (await defaultBoardId(context))));
};

async function defaultBoardId(context: ReadContext<FailureOf<typeof getOperation>>): Promise<string> {
  const { sessionProjectId } = context.caller;
  if (sessionProjectId) return (await requireProject(context, sessionProjectId)).defaultBoardId;
  throw context.fail(
    'VALIDATION_FAILED',
    `Pass the id of a board, or connect to /mcp?projectId=<id>. ${WHERE_PROJECT_IDS_ARE}.`,
    {
      details: [{ path: 'id', message: 'is required without a session project' }],
    },
  );
}
