import { isDone, isPending, progressOf } from '../boards/progress.ts';
import type { Progress } from './waves.ts';

const IN_PROGRESS = progressOf('In Progress');

/** How far an item is that sits in a column of this name. */
export function stageOf(columnName: string): Progress {
  if (isPending(columnName)) return 'pending';
  if (isDone(columnName)) return 'done';
  return progressOf(columnName) > IN_PROGRESS ? 'in_review' : 'in_progress';
}
