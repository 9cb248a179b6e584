import { isDone, isHandedOver, isPending } from '../boards/progress.ts';
import type { Progress } from './waves.ts';

/** How far an item is that sits in a column of this name. */
export function stageOf(columnName: string): Progress {
  if (isPending(columnName)) return 'pending';
  if (isDone(columnName)) return 'done';
  return isHandedOver(columnName) ? 'in_review' : 'in_progress';
}
