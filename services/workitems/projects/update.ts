import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { updateProject as operation } from '@worktrack/contracts/projects/project-operations';
import type { WriteContext } from '@worktrack/runtime/database/implement';
import { findBoard } from '../boards/boards.repository.ts';
import { requireProject, saveProject, toProject } from './projects.repository.ts';

export async function updateProject(
  { id, ...changes }: Input<typeof operation>,
  context: WriteContext<FailureOf<typeof operation>>,
): Promise<Output<typeof operation>> {
  await requireProject(context, id);
  if (changes.defaultBoardId !== undefined) {
    const board = await findBoard(context, changes.defaultBoardId);
    if (board?.projectId !== id) {
      throw context.fail('VALIDATION_FAILED', 'defaultBoardId must be a board of the project.', {
        details: [{ path: 'defaultBoardId', message: 'must be a board of the project' }],
      });
    }
  }
  return toProject(await saveProject(context, id, changes));
}
