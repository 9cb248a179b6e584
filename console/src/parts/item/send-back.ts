import type { Column } from '@worktrack/contracts/projects/board';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';

type Role = Column['role'];
const HANDED_OVER: readonly Role[] = ['review', 'testing', 'validating'];
const TO_DO: readonly Role[] = ['todo', 'in_progress'];

/** Whether a move by hand sends work back: it then says why. */
export function isSentBack(type: WorkItem['type'], from: Role | undefined, to: Role | undefined): boolean {
  return type === 'task' && HANDED_OVER.includes(from ?? null) && TO_DO.includes(to ?? null);
}
