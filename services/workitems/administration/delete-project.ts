import type { deleteProject as operation } from '@worktrack/contracts/projects/project-operations';
import type { WriteAlone } from '@worktrack/runtime/database/handlers/handler-kinds';
import { removeBoardsOfProject } from '../boards/boards.repository.ts';
import { countsOf, holdColumns } from '../boards/tallies.repository.ts';
import { forgetBudgetsOfProject } from '../budgets/budgets.repository.ts';
import { forgetPlaces } from '../moves/position.ts';
import { removeProject, requireProject } from '../projects/projects.repository.ts';
import { removeViewsOfProject } from '../views/views.repository.ts';

/**
 * A project's boards are deleted with it. What it left behind stays: the histories of its items by their ids, what their work cost, and the numbers of the key,
 * which other projects may share. Nothing can be put on one of the boards meanwhile: that would write one of the tallies that this transaction has written.
 */
export const deleteProject: WriteAlone<typeof operation> = async ({ id }, context) => {
  await holdColumns(context, { projectId: id });
  const project = await requireProject(context, id);
  const count = [...(await countsOf(context, { projectId: id })).values()].reduce((sum, items) => sum + items, 0);
  if (count > 0) {
    const items = count === 1 ? '1 work item' : `${count} work items`;
    throw context.fail(
      'CONFLICT',
      `Project "${project.name}" holds ${items}. Delete them before you delete the project.`,
      { reason: 'not_empty' },
    );
  }
  await forgetPlaces(context, await removeBoardsOfProject(context, id));
  await forgetBudgetsOfProject(context, id);
  await removeViewsOfProject(context, id);
  await removeProject(context, project);
  return { deleted: true, id };
};
