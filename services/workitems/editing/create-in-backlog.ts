import { WHERE_PROJECT_IDS_ARE } from '@worktrack/contracts/fields';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type {
  createEpic,
  createFeature,
  createStory,
  createTask,
} from '@worktrack/contracts/work-items/changes/create-in-backlog';
import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import type { GroupedContext } from '@worktrack/runtime/database/handlers/contexts';
import { requireBoardForWrite } from '../boards/boards.repository.ts';
import { requireColumnOfRole } from '../boards/columns.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { requireItem } from '../items/items.repository.ts';
import type { ProjectRecord } from '../projects/projects.model.ts';
import { onlyProject, projectForWrite } from '../projects/projects.repository.ts';
import { createItem } from './create-item.ts';

type Shortcut = typeof createTask | typeof createStory | typeof createFeature | typeof createEpic;
type Context = GroupedContext<FailureOf<Shortcut>>;

/** Shortcuts for creation: a fixed type, in the `Backlog` of the project's default board. */
export function createInBacklog(type: ItemType) {
  return async (input: Input<Shortcut>, context: Context): Promise<Output<Shortcut>> => {
    const parentRef = 'parentId' in input ? input.parentId : undefined;
    const parent = parentRef === undefined ? undefined : await requireItem(context, parentRef);
    const project = await projectFor(type, parent, context);
    const board = await requireBoardForWrite(context, project.defaultBoardId);
    const instead = 'use create_work_item (POST /api/work-items), which takes a board and a column';
    const column = requireColumnOfRole(context, board, ['backlog', 'todo'], instead);
    return createItem(context, { ...input, type }, { project, board, column, parent });
  };
}

/** The session's project; without one, for all but tasks, the parent's, or the only one there is. */
async function projectFor(type: ItemType, parent: ItemRecord | undefined, context: Context): Promise<ProjectRecord> {
  const { sessionProjectId } = context.caller;
  if (sessionProjectId) return projectForWrite(context, sessionProjectId);
  if (type !== 'task') {
    const project = parent ? await projectForWrite(context, parent.projectId) : await onlyProject(context);
    if (project) return project;
  }
  throw context.fail(
    'VALIDATION_FAILED',
    `create_${type} needs a session project: connect to /mcp?projectId=<id>, or use create_work_item (POST /api/work-items), which takes a board. ${WHERE_PROJECT_IDS_ARE}.`,
  );
}
