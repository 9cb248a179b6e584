import { PLAIN_FIELDS, type PlainField } from '@worktrack/contracts/work-items/plain-fields';
import type { WorkItem, WorkItemSummary } from '@worktrack/contracts/work-items/work-item';
import type { BoardRecord } from '../../boards/boards.model.ts';
import { boardsWith } from '../../boards/boards.repository.ts';
import { columnAt } from '../../boards/columns.ts';
import { labelsOf } from '../../boards/labels.ts';
import type { Scope } from '../../calls/scope.ts';
import type { Versioned } from '../../calls/version.ts';
import { isAtWork, shownLease } from '../lease.ts';
import { shownRework } from '../returned.ts';
import type { ShownItem, SummaryItem } from './views.ts';

export async function presentedSummaries(scope: Scope, items: readonly SummaryItem[]): Promise<WorkItemSummary[]> {
  const boards = await boardsWith(scope, items);
  return items.map((item) => toSummary(item, boards.get(item.boardId)));
}

export function toSummary(item: SummaryItem, board: BoardRecord | undefined): WorkItemSummary {
  return {
    id: item._id,
    taskId: item.taskId,
    title: item.title,
    type: item.type,
    ...plainFieldsOf(item),
    labels: labelsOf(board, item.labels),
    assignee: item.assignee,
    boardId: item.boardId,
    boardColumnId: item.boardColumnId,
    columnName: columnAt(board, item.boardColumnId).name,
    parentId: item.parentId,
    projectId: item.projectId,
    isAiProcessing: isAtWork(item),
    lease: shownLease(item.lease),
    externalId: item.externalId ?? null,
    ...(item.returned && { rework: shownRework(item.returned) }),
    ...(item.onReturnedBase?.length && { onReturnedBase: item.onReturnedBase.map(({ taskId }) => taskId) }),
  };
}

/** What was not yet a field when the item was stored is null. */
function plainFieldsOf(item: SummaryItem): Pick<WorkItemSummary, PlainField> {
  return Object.fromEntries(PLAIN_FIELDS.map((field) => [field, item[field] ?? null])) as never;
}

export function toWorkItem(item: ShownItem, board: BoardRecord | undefined): WorkItem {
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

/** For a caller that says which version they have read. */
export const versionOf = (item: ShownItem, board: BoardRecord): Versioned => ({
  ...{ name: item.taskId, version: item.version, permission: 'work-items:read' },
  current: () => toWorkItem(item, board),
});
