import type { FailingScope } from '../calls/scope.ts';
import type { ItemRecord } from '../items/items.model.ts';

/** A tool accepts the item's id and, redundantly, its task ID: if they differ, one of them is wrong, and only the caller knows which. */
export function requireSameItem(
  { fail }: FailingScope<'VALIDATION_FAILED'>,
  item: Pick<ItemRecord, '_id' | 'taskId'>,
  taskId: string | undefined,
): void {
  if (taskId === undefined || [item.taskId, item._id].includes(taskId) || taskId.toUpperCase() === item.taskId) return;
  throw fail('VALIDATION_FAILED', `taskId says ${taskId}, but work item ${item._id} is ${item.taskId}.`, {
    details: [{ path: 'taskId', message: `must be ${item.taskId}, or be left out` }],
  });
}
