import { isDone, isHandedOver, isPending, type Role } from '../boards/progress.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { isReturned } from '../items/returned.ts';
import type { Progress } from './waves.ts';

/** How far an item in a column of this role is. */
export function stageOf(role: Role): Progress {
  if (isPending(role)) return 'pending';
  if (isDone(role)) return 'done';
  return isHandedOver(role) ? 'in_review' : 'in_progress';
}

/** Like stageOf, but a task that was sent back is open for work again, though it is in progress. */
export function stageOfTask(task: Pick<ItemRecord, 'lease' | 'returned'>, role: Role): Progress {
  return isReturned(task, role) ? 'pending' : stageOf(role);
}
