import type { WorkItem, WorkItemSummary } from '@worktrack/contracts/work-items/work-item';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardsById } from '../boards/boards.repository.ts';
import { columnName } from '../boards/columns.ts';
import type { Scope } from '../calls/scope.ts';
import type { ItemRecord } from './items.model.ts';
import { shownLease } from './lease.ts';

type Summary = Pick<
  ItemRecord,
  | '_id'
  | 'taskId'
  | 'title'
  | 'type'
  | 'priority'
  | 'assignee'
  | 'boardId'
  | 'boardColumnId'
  | 'parentId'
  | 'projectId'
  | 'isAiProcessing'
  | 'lease'
  | 'externalId'
>;

export async function presentedSummaries(scope: Scope, items: readonly Summary[]): Promise<WorkItemSummary[]> {
  const boards = await boardsById(
    scope,
    items.map(({ boardId }) => boardId),
  );
  return items.map((item) => toSummary(item, boards.get(item.boardId)));
}

export function toSummary(item: Summary, board: BoardRecord | undefined): WorkItemSummary {
  return {
    id: item._id,
    taskId: item.taskId,
    title: item.title,
    type: item.type,
    priority: item.priority,
    assignee: item.assignee,
    boardId: item.boardId,
    boardColumnId: item.boardColumnId,
    columnName: columnName(board, item.boardColumnId),
    parentId: item.parentId,
    projectId: item.projectId,
    isAiProcessing: item.isAiProcessing,
    lease: shownLease(item.lease),
    externalId: item.externalId ?? null,
  };
}

type Whole = Summary &
  Pick<ItemRecord, 'description' | 'position' | 'metadata' | 'version' | 'createdAt' | 'updatedAt'>;

export function toWorkItem(item: Whole, board: BoardRecord | undefined): WorkItem {
  return {
    ...toSummary(item, board),
    description: item.description,
    position: item.position,
    metadata: item.metadata,
    version: item.version,
    createdAt: item.createdAt.toISOString(),
    updatedAt: item.updatedAt.toISOString(),
  };
}
