import type { Metadata } from '@worktrack/contracts/work-items/metadata';
import type { ItemType, Priority, WorkItem } from '@worktrack/contracts/work-items/work-item';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { shareColumns } from '../boards/guards.repository.ts';
import type { ProjectRecord } from '../projects/projects.model.ts';
import type { FailingWriteScope } from '../scope.ts';
import { indexItem } from '../search/search.repository.ts';
import { foundBy } from './found-by.ts';
import type { ItemRecord } from './items.model.ts';
import { insertItem } from './items.repository.ts';
import { merged } from './metadata.ts';
import { requireParentFor } from './parent.ts';
import { placeAtEnd } from './position.ts';
import { toWorkItem } from './present.ts';
import { drawTaskId } from './task-id.ts';

export interface NewItem {
  readonly type: ItemType;
  readonly title: string;
  readonly description?: string;
  readonly priority: Priority;
  readonly assignee?: string;
  readonly metadata?: Metadata;
}

export interface Place {
  readonly project: ProjectRecord;
  readonly board: BoardRecord;
  readonly column: ColumnRecord;
  readonly parent?: ItemRecord;
}

/** What all tools that create have in common. */
export async function createItem(
  scope: FailingWriteScope<'VALIDATION_FAILED'>,
  { type, title, description, priority, assignee, metadata }: NewItem,
  { project, board, column, parent }: Place,
): Promise<WorkItem> {
  const projectId = project._id;
  if (parent) await requireParentFor(scope, { type, projectId }, parent);
  await shareColumns(scope, [board._id]);
  const wholeMetadata = merged(scope, {}, metadata ?? {});
  const now = new Date();
  // Numbers come last: what is refused, or has to be tried again for the sake of somebody else, has used none.
  const [taskId, position] = await Promise.all([drawTaskId(scope, project.key, type), placeAtEnd(scope, board._id)]);
  const _id = uuidv7();
  const item: ItemRecord = {
    _id,
    organizationId: scope.caller.organizationId,
    projectId,
    boardId: board._id,
    boardColumnId: column.id,
    taskId,
    title,
    description: description ?? '',
    type,
    priority,
    assignee: assignee || null,
    parentId: parent?._id ?? null,
    foundBy: foundBy({ _id, taskId }, parent ?? null),
    position,
    metadata: wholeMetadata,
    isAiProcessing: false,
    lease: null,
    version: 1,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  const created = toWorkItem(item, board);
  await insertItem(scope, item, [{ eventType: 'created', data: created }]);
  await indexItem(scope, item);
  return created;
}
