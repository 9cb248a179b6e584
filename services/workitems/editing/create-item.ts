import type { Metadata } from '@worktrack/contracts/metadata';
import { type PlainField, plainOf } from '@worktrack/contracts/work-items/plain-fields';
import type { CreatedItem, ItemType, WorkItem } from '@worktrack/contracts/work-items/work-item';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { boardsWith } from '../boards/boards.repository.ts';
import { roleAt } from '../boards/columns.ts';
import { requireLabels } from '../boards/labels.ts';
import { isMet } from '../boards/progress.ts';
import type { FailingWriteScope, Scope, WriteScope } from '../calls/scope.ts';
import { drawTaskId } from '../counters/task-id.ts';
import { followCrossings } from '../dependencies/dependents.ts';
import { type Dependencies, requireNamed } from '../dependencies/required.ts';
import { claimable } from '../items/claimable.ts';
import { aboveChildrenOf, foundBy } from '../items/found-by.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { assigneeMeant, mentionsIn } from '../items/people.ts';
import { toWorkItem } from '../items/shown/present.ts';
import { findByExternalId } from '../items/shown/shown.repository.ts';
import { keyWarnings, warned } from '../items/warnings.ts';
import { merged, metadataPatch } from '../metadata/metadata.ts';
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
  /** Ids and names. */
  readonly labels?: readonly string[];
  readonly assignee?: string;
  readonly dependsOn?: readonly string[];
  readonly ideaId?: string;
  readonly externalId?: string;
  readonly metadata?: Metadata;
}

export interface Location {
  readonly project: Pick<ProjectRecord, '_id' | 'key'>;
  readonly board: BoardRecord;
  readonly column: ColumnRecord;
  readonly parent?: ItemRecord;
}

/** What all tools that create one item have in common. */
export async function createItem(
  scope: FailingWriteScope<'VALIDATION_FAILED'>,
  input: NewItem,
  place: Location,
): Promise<CreatedItem> {
  const { project, board, parent } = place;
  const { type, externalId } = input;
  const projectId = project._id;
  const existing = await itemWith(scope, projectId, externalId);
  if (existing) return existing;
  if (parent) {
    requireParentFor(scope, { type, projectId }, parent);
    countChildren(scope, parent, 1);
  }
  const content = await contentOf(scope, board, input, parent ? aboveChildrenOf(parent) : []);
  // Numbers come last, so that refused calls use none.
  const [taskId, position] = await Promise.all([drawTaskId(scope, project.key, type), placeAtEnd(scope, board._id)]);
  const item = newItem(scope, input, place, { ...content, taskId, position, childCount: 0 });
  const created = store(scope, item, board);
  await followNew(scope, [{ item, board }]);
  return { ...created, ...(externalId !== undefined && { created: true }), ...warned(keyWarnings(input.metadata)) };
}

/** The item that has the external id already, as a creation returns it. */
async function itemWith(
  scope: Scope,
  projectId: string,
  externalId: string | undefined,
): Promise<CreatedItem | undefined> {
  const existing = externalId === undefined ? null : await findByExternalId(scope, projectId, externalId);
  if (!existing) return undefined;
  const boards = await boardsWith(scope, [existing]);
  return { ...toWorkItem(existing, boards.get(existing.boardId)), created: false };
}

/** The references that a new item stores. */
export interface Content extends Dependencies, Pick<ItemRecord, 'labels'> {
  readonly metadata: Metadata;
}

/** @throws VALIDATION_FAILED if something that it refers to is not there */
export async function contentOf(
  scope: FailingWriteScope<'VALIDATION_FAILED'>,
  board: BoardRecord,
  input: Pick<NewItem, 'dependsOn' | 'ideaId' | 'labels' | 'metadata'>,
  /** What is above it, as it will be found by (found-by.ts). */
  foundBy: readonly string[],
): Promise<Content> {
  const metadata = merged(scope, {}, metadataPatch(input) ?? {});
  const isWritten = { dependsOn: 'dependsOn' in metadata, ideaId: 'ideaId' in metadata };
  const named = await requireNamed(scope, { projectId: board.projectId, foundBy, metadata, isWritten });
  const labels = input.labels?.length ? requireLabels(scope, board, input.labels) : undefined;
  return { metadata, labels, ...(named ?? { dependsOn: [], waitsFor: [] }) };
}

export function newItem(
  scope: WriteScope,
  { type, title, description, assignee, labels: _, ...input }: NewItem,
  { project, board, column, parent }: Location,
  { taskId, position, childCount, ...content }: Content & Pick<ItemRecord, 'taskId' | 'position' | 'childCount'>,
): ItemRecord {
  const now = new Date();
  const _id = uuidv7();
  const state = {
    ...plainOf(input),
    ...{ type, position, boardColumnId: column.id, childCount, waitsFor: content.waitsFor },
    ...{ lease: null, ...assigneeMeant(scope, assignee) },
  };
  return {
    _id,
    organizationId: scope.caller.organizationId,
    projectId: project._id,
    boardId: board._id,
    taskId,
    title,
    description: description ?? '',
    externalId: input.externalId,
    parentId: parent?._id ?? null,
    foundBy: foundBy({ _id, taskId }, parent ?? null),
    treeVersion: 1,
    ...content,
    isAiProcessing: false,
    ...state,
    ...claimable(state, board),
    version: 1,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  };
}

export function store(scope: FailingWriteScope<'VALIDATION_FAILED'>, item: ItemRecord, board: BoardRecord): WorkItem {
  const created = toWorkItem(item, board);
  const data = { ...created, ...mentionsIn(scope, item.description) };
  insertItem(scope, item, board, [{ type: 'work_item.created', data }]);
  indexItem(scope, item);
  return created;
}

/** Something may be waiting for the task ID that a new item has been given. */
export async function followNew(
  scope: FailingWriteScope<'VALIDATION_FAILED'>,
  created: readonly { readonly item: ItemRecord; readonly board: BoardRecord }[],
): Promise<void> {
  const met = created.filter(({ item, board }) => isMet(roleAt(board, item.boardColumnId), board));
  await followCrossings(
    scope,
    met.map(({ item }) => ({ item, isMet: true, isDone: false })),
  );
}
