import { isDone, isHandedOver, isPending } from '../boards/progress.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { isReturned } from '../items/returned.ts';
import type { Progress } from './waves.ts';

/** How far an item is that sits in a column of this name. */
export function stageOf(columnName: string): Progress {
  if (isPending(columnName)) return 'pending';
  if (isDone(columnName)) return 'done';
  return isHandedOver(columnName) ? 'in_review' : 'in_progress';
}

/** As stageOf. A task that was sent back is to be taken up again, though it sits in `In Progress`. */
export function stageOfTask(task: Pick<ItemRecord, 'lease' | 'returned'>, columnName: string): Progress {
  return isReturned(task, columnName) ? 'pending' : stageOf(columnName);
}
