import type { Input, Output } from '@worktrack/contracts/operation';
import type { createProject as operation } from '@worktrack/contracts/projects/project-operations';
import type { WriteContext } from '@worktrack/runtime/database/contexts';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { insertBoard } from '../boards/boards.repository.ts';
import type { ProjectRecord } from '../projects/projects.model.ts';
import { insertProject, toProject } from '../projects/projects.repository.ts';
import { standardColumns } from './board-columns.ts';

/** A project comes with its first board, of the standard columns. */
export async function createProject(
  { key, ...input }: Input<typeof operation>,
  context: WriteContext,
): Promise<Output<typeof operation>> {
  const projectId = uuidv7();
  const board = await insertBoard(context, { projectId, name: input.name, columns: standardColumns() });
  const now = new Date();
  const project: ProjectRecord = {
    ...input,
    _id: projectId,
    organizationId: context.caller.organizationId,
    key: key ?? keyFrom(input.name),
    defaultBoardId: board._id,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  await insertProject(context, project);
  return toProject(project);
}

/** The first letter of the name that is one of A–Z without its accent, else P. */
export function keyFrom(name: string): string {
  return name.normalize('NFKD').toUpperCase().match(/[A-Z]/)?.[0] ?? 'P';
}
