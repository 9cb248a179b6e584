import { PRIORITIES } from '@worktrack/contracts/work-items/plain-fields';
import type { BoardRecord } from '../boards/boards.model.ts';
import { columnById } from '../boards/columns.ts';
import { isInProgress, isPending } from '../boards/progress.ts';
import type { ItemRecord } from './items.model.ts';
import { isLive } from './lease.ts';
import { isReturned } from './returned.ts';

/**
 * Whether a task can be claimed, stored in the item. So finding an agent's next task is a look at the start of an index, however many tasks there are and
 * however many of them are waiting.
 */
export interface Claimable {
  /** For a pending task, or one in `In Progress` that nobody holds, with nothing left to wait for: its rank among the project's. The lowest is claimed first. */
  claimOrder: number | null;
  /** For a task that an agent holds: when its lease ends, and another agent may have it. */
  claimableFrom: Date | null;
}

export const NOT_CLAIMABLE: Claimable = { claimOrder: null, claimableFrom: null };

type Task = Held &
  Pick<ItemRecord, 'type' | 'childCount' | 'waitsFor' | 'returned' | 'priority' | 'position' | 'boardColumnId'>;
type Held = Pick<ItemRecord, 'lease' | 'assignee' | 'assigneeId' | 'claimedBy' | 'previous'>;

export function claimable(item: Task, board: BoardRecord): Claimable {
  // A task with others below it is done by doing those.
  if (item.type !== 'task' || item.childCount > 0 || item.waitsFor.length > 0) return NOT_CLAIMABLE;
  const column = columnById(board, item.boardColumnId);
  const role = column ? column.role : null;
  if (isPending(role)) {
    const order = item.returned ? claimOrderOfReturned(item) : claimOrder(item, pendingColumns(board));
    return { ...NOT_CLAIMABLE, claimOrder: order };
  }
  if (isReturned(item, role)) return { ...NOT_CLAIMABLE, claimOrder: claimOrderOfReturned(item) };
  if (!isInProgress(role) || isAssigned(item)) return NOT_CLAIMABLE;
  if (item.lease) return { ...NOT_CLAIMABLE, claimableFrom: item.lease.expiresAt };
  return { ...NOT_CLAIMABLE, claimOrder: claimOrderOfUnheld(item) };
}

/** The id of the assignee where the name is nobody's, such as an agent's. */
export const NOBODY = '';

/** A task in `In Progress` is held by a live lease, or by the person that it is assigned to. If neither holds it, it can be claimed. */
export function isHeld(item: Held, now: Date): boolean {
  return isLive(item.lease, now) || isAssigned(item);
}

/**
 * Whether the item is assigned to a user other than by a claim. The name of an agent that has ended its work, or lost its lease, stays in the item and holds
 * nothing. Neither does a name that is nobody's.
 */
export function isAssigned({ assignee, assigneeId, claimedBy, lease, previous }: Held): boolean {
  if (assignee === null || assigneeId === NOBODY) return false;
  // An earlier version did not store who had claimed.
  return assignee !== (claimedBy === undefined ? (lease?.agent ?? previous?.agent) : claimedBy);
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

/** From left to right. */
export function pendingColumns(board: BoardRecord): string[] {
  return board.columns.filter((column) => isPending(column.role)).map(({ id }) => id);
}

/** Most boards have two pending columns: the first has a group of its own, all others share one (claimOrder). */
const GROUPS = 2;
/** Far more than the positions that a board will ever use, on either side of zero; what is left of a double's 53 bits is for places between two. */
const POSITIONS = 2 ** 36;
/** How far apart the columns are that share a group: 50 of them end before the tasks that nobody holds. */
const FURTHER_COLUMN = 2 ** 28;

/** By priority, then by column from left to right, then from top to bottom. */
function claimOrder({ priority, boardColumnId, position }: Task, columns: readonly string[]): number {
  const at = columns.indexOf(boardColumnId);
  const group = firstGroup(priority) + Math.min(at, GROUPS - 1);
  return group * POSITIONS + POSITIONS / 2 + Math.max(0, at - (GROUPS - 1)) * FURTHER_COLUMN + position;
}

/** Before all pending tasks of its priority: far below the middle of their first group, where their positions are. */
function claimOrderOfReturned({ priority, position }: Task): number {
  return firstGroup(priority) * POSITIONS + POSITIONS / 4 + position;
}

/** After all pending tasks of its priority, since `In Progress` is to the right of them: far above the middle of their last group. */
function claimOrderOfUnheld({ priority, position }: Task): number {
  return (firstGroup(priority) + GROUPS - 1) * POSITIONS + (POSITIONS * 3) / 4 + position;
}

function firstGroup(priority: Task['priority']): number {
  return (PRIORITIES.length - 1 - PRIORITIES.indexOf(priority)) * GROUPS;
}
