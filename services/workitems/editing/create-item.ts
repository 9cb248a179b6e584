import type { Metadata } from '@worktrack/contracts/metadata';
import { type PlainField, plainOf } from '@worktrack/contracts/work-items/plain-fields';
import type { CreatedItem, ItemType } from '@worktrack/contracts/work-items/work-item';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { boardsById } from '../boards/boards.repository.ts';
import { roleOf } from '../boards/columns.ts';
import { isHandedOver } from '../boards/progress.ts';
import type { FailingWriteScope } from '../calls/scope.ts';
import { followCrossings } from '../dependencies/dependents.ts';
import { requireNamed } from '../dependencies/required.ts';
import { claimable } from '../items/claimable.ts';
import { foundBy } from '../items/found-by.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { merged, metadataPatch } from '../items/metadata.ts';
import { toWorkItem } from '../items/present.ts';
import { findByExternalId } from '../items/shown.repository.ts';
import { drawTaskId } from '../items/task-id.ts';
import { keyWarnings, warned } from '../items/warnings.ts';
import { placeAtEnd } from '../moves/position.ts';
import type { ProjectRecord } from '../projects/projects.model.ts';
import { indexItem } from '../search/search.repository.ts';
import { requireParentFor } from '../trees/parent.ts';
import { countChildren } from '../trees/tree-writes.ts';
import { insertItem } from '../writes/change-item.ts';

export interface NewItem extends Pick<ItemRecord, PlainField> {
  readonly type: ItemType;
  readonly title: string;
  readonly description?: string;
  readonly assignee?: string;
  readonly dependsOn?: readonly string[];
  readonly ideaId?: string;
  readonly externalId?: string;
  readonly metadata?: Metadata;
}

export interface Place {
  readonly project: Pick<ProjectRecord, '_id' | 'key'>;
  readonly board: BoardRecord;
  readonly column: ColumnRecord;
  readonly parent?: ItemRecord;
}

/** What all tools that create items have in common. */
export async function createItem(
  scope: FailingWriteScope<'VALIDATION_FAILED'>,
  { type, title, description, assignee, ...input }: NewItem,
  { project, board, column, parent }: Place,
): Promise<CreatedItem> {
  const projectId = project._id;
  const { externalId } = input;
  const existing = externalId === undefined ? null : await findByExternalId(scope, projectId, externalId);
  if (existing) {
    const { [existing.boardId]: boardOfExisting } = Object.fromEntries(await boardsById(scope, [existing.boardId]));
    return { ...toWorkItem(existing, boardOfExisting), created: false };
  }
  if (parent) {
    requireParentFor(scope, { type, projectId }, parent);
    countChildren(scope, parent, 1);
  }
  const metadata = merged(scope, {}, metadataPatch(input) ?? {});
  const isWritten = { dependsOn: 'dependsOn' in metadata, ideaId: 'ideaId' in metadata };
  const named = await requireNamed(scope, { projectId, metadata, isWritten });
  const { dependsOn, waitsFor } = named ?? { dependsOn: [], waitsFor: [] };
  const now = new Date();
  // Numbers come last, so that refused calls use none.
  const [taskId, position] = await Promise.all([drawTaskId(scope, project.key, type), placeAtEnd(scope, board._id)]);
  const _id = uuidv7();
  const state = {
    ...plainOf(input),
    ...{ type, position, boardColumnId: column.id, childCount: 0, waitsFor },
    ...{ lease: null, assignee: assignee || null },
  };
  const item: ItemRecord = {
    _id,
    organizationId: scope.caller.organizationId,
    projectId,
    boardId: board._id,
    taskId,
    title,
    description: description ?? '',
    externalId: input.externalId,
    parentId: parent?._id ?? null,
    foundBy: foundBy({ _id, taskId }, parent ?? null),
    treeVersion: 1,
    metadata,
    dependsOn,
    isAiProcessing: false,
    ...state,
    ...claimable(state, board),
    version: 1,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
  const created = toWorkItem(item, board);
  insertItem(scope, item, board, [{ eventType: 'created', data: created }]);
  indexItem(scope, item);
  // Something may be waiting for the task ID that this one has been given.
  if (isHandedOver(roleOf(column))) await followCrossings(scope, [{ item, isHandedOver: true }], [item]);
  return { ...created, ...(externalId !== undefined && { created: true }), ...warned(keyWarnings(input.metadata)) };
}
