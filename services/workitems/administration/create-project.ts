import type { createProject as operation } from '@worktrack/contracts/projects/project-operations';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { insertBoard } from '../boards/boards.repository.ts';
import { warned } from '../items/warnings.ts';
import type { ProjectRecord } from '../projects/projects.model.ts';
import { insertProject, toProject } from '../projects/projects.repository.ts';
import { standardColumns } from './board-columns.ts';
import { freeKey, keyShared } from './project-key.ts';

/** A project comes with its first board, of the standard columns. */
export const createProject: WriteAlone<typeof operation> = async ({ key, ...input }, context) => {
  const projectId = uuidv7();
  const board = await insertBoard(context, {
    ...{ projectId, name: input.name, columns: standardColumns() },
    dependencyMet: input.dependencyMet,
  });
  const now = new Date();
  const project: ProjectRecord = {
    ...input,
    _id: projectId,
    organizationId: context.caller.organizationId,
    key: key ?? (await freeKey(context, input.name)),
    defaultBoardId: board._id,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  const warnings = await keyShared(context, project.key);
  await insertProject(context, project);
  return { ...toProject(project), ...warned(warnings) };
};
