import { PRIORITIES, type Priority } from '@worktrack/contracts/work-items/plain-fields';
import { inOrder } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import mongoose from 'mongoose';
import type { Scope } from '../calls/scope.ts';
import { below } from '../items/found-by.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';

import { isRework } from '../items/returned.ts';
import { CANDIDATE, type ItemOutline, OUTLINE } from '../items/shown/views.ts';

const BEST_FIRST: readonly Priority[] = [...PRIORITIES].reverse();

export type Candidate = Pick<
  ItemRecord,
  '_id' | 'taskId' | 'priority' | 'boardColumnId' | 'position' | 'returned' | 'lease'
> &
  Partial<Pick<ItemRecord, 'revision'>>;
/** A task's rank for claiming: priority, then returned ones first, then the board from left to right and top to bottom. */
export function takeOrder(columnIds: readonly string[]) {
  const column = new Map(columnIds.map((id, index) => [id, index]));
  return (a: Candidate, b: Candidate) =>
    BEST_FIRST.indexOf(a.priority) - BEST_FIRST.indexOf(b.priority) ||
    Number(isRework(b)) - Number(isRework(a)) ||
    (column.get(a.boardColumnId) ?? 0) - (column.get(b.boardColumnId) ?? 0) ||
    a.position - b.position ||
    (a._id < b._id ? -1 : 1);
}

/** What is left out of a project's tasks. */
interface LeftOut {
  /** What is below these items. */
  readonly notBelow?: readonly string[];
  /** What is on these boards. */
  readonly notOn?: readonly string[];
}

function without({ notBelow = [], notOn = [] }: LeftOut) {
  const noneOf = (values: readonly string[]) => mongoose.trusted({ $nin: [...values] });
  return {
    ...(notBelow.length > 0 && { foundBy: noneOf(notBelow.map(below)) }),
    ...(notOn.length > 0 && { boardId: noneOf(notOn) }),
  };
}

/** The tasks of a project that can be claimed now, in the order in which to take them. */
export function readyTasks(
  { caller, tx }: Scope,
  projectId: string,
  limit: number,
  leftOut: LeftOut = {},
): Promise<Candidate[]> {
  return inOrder(ItemModel, {
    filter: { organizationId: caller.organizationId, projectId, ...without(leftOut) },
    // Both bounds, so that only the numeric part of an index is read.
    range: { $gte: 0, $lt: Number.MAX_SAFE_INTEGER },
    order: { field: 'claimOrder', direction: 1 },
    limit,
    present: [{ $project: CANDIDATE }],
    session: tx,
  });
}

const BEFORE_ANY_LEASE = new Date(0);

/** Those whose agent did not come back, in no particular order. */
export async function abandonedTasks(
  { caller: { organizationId }, tx }: Scope,
  projectId: string,
  now: Date,
  limit: number,
  leftOut: LeftOut = {},
): Promise<Candidate[]> {
  const byNow = new Date(now.getTime() + 1);
  return ItemModel.find(
    {
      ...{ organizationId, projectId },
      claimableFrom: mongoose.trusted({ $gt: BEFORE_ANY_LEASE, $lt: byNow }),
      ...without(leftOut),
    },
    CANDIDATE,
    { limit, session: tx },
  ).lean<Candidate[]>();
}

/** Tasks in these columns, in no particular order. */
export async function tasksIn(
  { caller: { organizationId }, tx }: Scope,
  columnIds: readonly string[],
  limit: number,
): Promise<ItemOutline[]> {
  return ItemModel.find({ organizationId, boardColumnId: oneOf(columnIds), type: 'task' }, OUTLINE, {
    limit,
    session: tx,
  }).lean();
}
