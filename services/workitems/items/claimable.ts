import { isPending } from '../boards/progress.ts';
import type { ItemRecord } from './items.model.ts';
import { isInProgress } from './lease.ts';

/** Of a task that may be claimed at once: long before any lease ends, and not the least of dates, so that a range can begin before it. */
export const AT_ONCE = new Date(1);

/**
 * From when on a task can be claimed, kept in the item so that the next task for an agent is one query by an index, however many
 * others wait: at once when it is pending with nothing left to wait for, from the end of its lease when an agent has it. null: not as things are.
 */
export function claimableFrom(
  item: Pick<ItemRecord, 'type' | 'childCount' | 'waitsFor' | 'lease'>,
  columnName: string,
): Date | null {
  // A task that has others below it is done by doing those.
  if (item.type !== 'task' || item.childCount > 0 || item.waitsFor.length > 0) return null;
  if (isPending(columnName)) return AT_ONCE;
  return isInProgress(columnName) && item.lease ? item.lease.expiresAt : null;
}
