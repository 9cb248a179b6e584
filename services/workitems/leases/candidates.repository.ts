import { PRIORITIES, type Priority } from '@worktrack/contracts/work-items/work-item';
import { inOrder } from '@worktrack/runtime/database/in-order';
import mongoose from 'mongoose';
import { AT_ONCE } from '../items/claimable.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import type { Scope } from '../scope.ts';

export const BEST_FIRST: readonly Priority[] = [...PRIORITIES].reverse();

export type Candidate = Pick<ItemRecord, '_id' | 'taskId' | 'priority' | 'boardColumnId' | 'position'>;
const CANDIDATE = { taskId: 1, priority: 1, boardColumnId: 1, position: 1 } as const;

/** Where a task stands in the order in which tasks are taken: priority, then the board from left to right and from top to bottom. */
export function takeOrder(columnIds: readonly string[]) {
  const column = new Map(columnIds.map((id, index) => [id, index]));
  return (a: Candidate, b: Candidate) =>
    BEST_FIRST.indexOf(a.priority) - BEST_FIRST.indexOf(b.priority) ||
    (column.get(a.boardColumnId) ?? 0) - (column.get(b.boardColumnId) ?? 0) ||
    a.position - b.position ||
    (a._id < b._id ? -1 : 1);
}

const BEFORE_ALL = new Date(0);

/** Tasks of a project that can be claimed now, in no order. */
export function claimableTasks(
  { caller, tx }: Scope,
  projectId: string,
  now: Date,
  limit: number,
): Promise<Candidate[]> {
  return claimable({ caller, tx }, projectId, BEFORE_ALL, now, limit);
}

/** Those whose agent did not come back. */
export function abandonedTasks(
  { caller, tx }: Scope,
  projectId: string,
  now: Date,
  limit: number,
): Promise<Candidate[]> {
  return claimable({ caller, tx }, projectId, AT_ONCE, now, limit);
}

async function claimable(
  { caller, tx }: Scope,
  projectId: string,
  after: Date,
  now: Date,
  limit: number,
): Promise<Candidate[]> {
  const { organizationId } = caller;
  const byNow = new Date(now.getTime() + 1);
  return ItemModel.find(
    { organizationId, projectId, claimableFrom: mongoose.trusted({ $gt: after, $lt: byNow }) },
    CANDIDATE,
  )
    .limit(limit)
    .session(tx ?? null)
    .lean<Candidate[]>();
}

/** The first of one column and priority that nobody has begun. */
export function firstTasks(
  { caller, tx }: Scope,
  where: { readonly boardColumnId: string; readonly priority: Priority },
  limit: number,
): Promise<Candidate[]> {
  return inOrder(ItemModel, {
    filter: { organizationId: caller.organizationId, ...where, claimableFrom: AT_ONCE },
    order: { field: 'position', direction: 1 },
    limit,
    present: [{ $project: CANDIDATE }],
    session: tx,
  });
}

/** How many tasks there are in these columns, counted up to `limit`. */
export async function countTasks({ caller, tx }: Scope, columnIds: readonly string[], limit: number): Promise<number> {
  const { organizationId } = caller;
  return ItemModel.countDocuments({ organizationId, boardColumnId: mongoose.trusted({ $in: columnIds }), type: 'task' })
    .limit(limit)
    .session(tx ?? null);
}
