import { isDone, isHandedOver, isPending } from '../boards/progress.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { isReturned } from '../items/returned.ts';
import type { Progress } from './waves.ts';

/** How far an item in a column with this name is. */
export function stageOf(columnName: string): Progress {
  if (isPending(columnName)) return 'pending';
  if (isDone(columnName)) return 'done';
  return isHandedOver(columnName) ? 'in_review' : 'in_progress';
}

/** Like stageOf, but a task that was sent back is open for work again, though it is in `In Progress`. */
export function stageOfTask(task: Pick<ItemRecord, 'lease' | 'returned'>, columnName: string): Progress {
  return isReturned(task, columnName) ? 'pending' : stageOf(columnName);
}
