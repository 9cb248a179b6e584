import { PRIORITIES } from '@worktrack/contracts/work-items/work-item';
import type { BoardRecord } from '../boards/boards.model.ts';
import { columnById } from '../boards/columns.ts';
import { isPending } from '../boards/progress.ts';
import type { ItemRecord } from './items.model.ts';
import { isInProgress } from './lease.ts';
import { isReturned } from './returned.ts';

/**
 * Whether a task can be claimed, stored in the item, so that finding an agent's next task is a look at the start of an index, however many tasks there are
 * and however many of them are waiting.
 */
export interface Claimable {
  /** For a pending task, or one that was sent back, with nothing left to wait for: its rank among the project's. The lowest is claimed first. */
  claimOrder: number | null;
  /** For a task that an agent holds: when its lease ends, and another agent may have it. */
  claimableFrom: Date | null;
}

const NOT: Claimable = { claimOrder: null, claimableFrom: null };

type Task = Pick<
  ItemRecord,
  'type' | 'childCount' | 'waitsFor' | 'lease' | 'returned' | 'priority' | 'position' | 'boardColumnId'
>;

export function claimable(item: Task, board: BoardRecord): Claimable {
  // A task with others below it is done by doing those.
  if (item.type !== 'task' || item.childCount > 0 || item.waitsFor.length > 0) return NOT;
  const name = columnById(board, item.boardColumnId)?.name ?? '';
  if (isPending(name)) return { ...NOT, claimOrder: claimOrder(item, pendingColumns(board)) };
  if (isReturned(item, name)) return { ...NOT, claimOrder: claimOrderOfReturned(item) };
  return isInProgress(name) && item.lease ? { ...NOT, claimableFrom: item.lease.expiresAt } : NOT;
}

/**
 * Whether the log has said that the task can be claimed. After a lease expires, it says so when that is settled (settle.ts), which is once nothing
 * about it is unsettled any more.
 */
export function isKnownClaimable(
  { claimOrder, claimableFrom, lease }: Claimable & Pick<ItemRecord, 'lease'>,
  now: Date,
): boolean {
  return claimOrder !== null || (claimableFrom !== null && claimableFrom <= now && !lease?.unsettledUntil);
}

/** From left to right: there are two names for such columns, and a name occurs only once on a board. */
export function pendingColumns(board: BoardRecord): string[] {
  return board.columns.filter(({ name }) => isPending(name)).map(({ id }) => id);
}

const MAX_PENDING_COLUMNS = 2;
/** Far more than the positions that a board will ever use, on either side of zero; what is left of a double's 53 bits is for places between two. */
const POSITIONS = 2 ** 36;

/** By priority, then by column from left to right, then from top to bottom. */
function claimOrder({ priority, boardColumnId, position }: Task, columns: readonly string[]): number {
  return (firstGroup(priority) + columns.indexOf(boardColumnId)) * POSITIONS + POSITIONS / 2 + position;
}

/** Before all pending tasks of its priority: far below the middle of their first group, where their positions are. */
function claimOrderOfReturned({ priority, position }: Task): number {
  return firstGroup(priority) * POSITIONS + POSITIONS / 4 + position;
}

function firstGroup(priority: Task['priority']): number {
  return (PRIORITIES.length - 1 - PRIORITIES.indexOf(priority)) * MAX_PENDING_COLUMNS;
}
