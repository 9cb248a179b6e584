import { PRIORITIES, type Priority } from '@worktrack/contracts/work-items/work-item';
import { inOrder } from '@worktrack/runtime/database/in-order';
import mongoose from 'mongoose';
import { OUTLINE, type Outline } from '../context/outline.repository.ts';
import { ItemModel } from '../items/items.model.ts';
import type { Scope, WriteScope } from '../scope.ts';
import type { LeaseRecord } from './lease.ts';

export const BEST_FIRST: readonly Priority[] = [...PRIORITIES].reverse();

/** Where a task stands in the order in which tasks are taken: priority, then the board from left to right and from top to bottom. */
export function takeOrder(columnIds: readonly string[]) {
  const column = new Map(columnIds.map((id, index) => [id, index]));
  return (a: Ordered, b: Ordered) =>
    BEST_FIRST.indexOf(a.priority) - BEST_FIRST.indexOf(b.priority) ||
    (column.get(a.boardColumnId) ?? 0) - (column.get(b.boardColumnId) ?? 0) ||
    a.position - b.position ||
    (a._id < b._id ? -1 : 1);
}
type Ordered = Pick<Outline, '_id' | 'boardColumnId' | 'position'> & { readonly priority: Priority };

/** The first tasks of one column and priority. */
export function firstTasks(
  { caller, tx }: Scope,
  where: { readonly boardColumnId: string; readonly priority: Priority },
  count: number,
): Promise<Outline[]> {
  return inOrder(ItemModel, {
    filter: { organizationId: caller.organizationId, ...where, type: 'task' },
    order: { field: 'position', direction: 1 },
    limit: count,
    present: [{ $project: OUTLINE }],
    session: tx,
  });
}

const BEFORE_ANY_LEASE = new Date(0);

/** Tasks of these columns whose agent did not come back. */
export async function tasksWithExpiredLease(
  { caller, tx }: Scope,
  columnIds: readonly string[],
  now: Date,
): Promise<Outline[]> {
  const { organizationId } = caller;
  return ItemModel.aggregate<Outline>([
    {
      $match: {
        organizationId,
        'lease.expiresAt': { $gt: BEFORE_ANY_LEASE, $lt: now },
        boardColumnId: { $in: columnIds },
        type: 'task',
      },
    },
    { $project: OUTLINE },
  ]).session(tx ?? null);
}

/** Which of these have something below them. */
export async function parentsAmong({ caller, tx }: Scope, ids: readonly string[]): Promise<Set<string>> {
  const { organizationId } = caller;
  const children = await ItemModel.find({ organizationId, parentId: mongoose.trusted({ $in: ids }) }, { parentId: 1 })
    .session(tx ?? null)
    .lean();
  return new Set(children.map(({ parentId }) => parentId as string));
}

/** Without counting as a change of the item: whoever reads it sees nothing of a lease. */
export async function saveLease({ caller, tx }: WriteScope, itemId: string, lease: LeaseRecord): Promise<void> {
  const { organizationId } = caller;
  await ItemModel.updateOne(
    { organizationId, _id: itemId },
    { $set: { lease }, $inc: { revision: 1 } },
    { session: tx },
  );
}
