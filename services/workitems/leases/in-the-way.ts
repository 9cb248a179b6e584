import type { BoardRecord } from '../boards/boards.model.ts';
import { columnAt } from '../boards/columns.ts';
import { isHandedOver, isPending, type Role } from '../boards/progress.ts';
import type { Scope } from '../calls/scope.ts';

import type { BatchPlan } from '../context/plan-batch.ts';
import { findOutlines } from '../items/items.repository.ts';
import { isLive } from '../items/lease.ts';
import type { ItemOutline, PlannedItem } from '../items/shown/views.ts';

/** For how many unclaimable tasks the reason is given, and for how many dependencies of each. */
const FEW_TASKS = 5;
const FEW_DEPENDENCIES = 3;

/** Facts that an agent without a task can act on: who holds each task and until when, what it is waiting for, and where that is. */
export function whyNot(tasks: readonly InTheWay[], now: Date): string {
  const few = tasks.slice(0, FEW_TASKS).map((task) => `${task.taskId} ${obstacle(task, now)}`);
  const more = tasks.length - few.length;
  return [...few, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

interface Whereabouts {
  readonly column: string;
  readonly role: Role;
  readonly lease:
    | Pick<NonNullable<ItemOutline['lease']>, 'expiresAt' | 'agent' | 'state' | 'question'>
    | null
    | undefined;
  readonly assignee: string | null;
}
/** A task that cannot be claimed, and what it is waiting for. */
export interface InTheWay extends Whereabouts {
  readonly taskId: string;
  readonly hasChildren: boolean;
  readonly waitsFor: readonly (Partial<Whereabouts> & { readonly name: string })[];
}

function obstacle({ column, role, waitsFor, hasChildren, ...place }: InTheWay, now: Date): string {
  if (isLive(place.lease, now)) return `is ${heldBy(place.lease)}`;
  if (waitsFor.length > 0) {
    const few = waitsFor.slice(0, FEW_DEPENDENCIES).map((each) => `${each.name} (${whereIs(each, now)})`);
    const more = waitsFor.length - few.length;
    return `waits for ${[...few, ...(more > 0 ? [`${more} more`] : [])].join(', ')}`;
  }
  if (hasChildren) return 'has tasks below it, which come first';
  if (isPending(role)) return 'is on a board without a column of the role in_progress';
  if (role === null) {
    return `is in ${column}, which has no role: move it to another column, or give that one a role with PATCH /api/boards/:id`;
  }
  return `is in ${column} without a lease${place.assignee === null ? '' : `, assigned to ${place.assignee}`}`;
}

function whereIs({ column, lease }: Partial<Whereabouts>, now: Date): string {
  if (column === undefined) return 'does not exist';
  return isLive(lease, now) ? `${column}, ${heldBy(lease)}` : column;
}

function heldBy({ agent, expiresAt, state, question }: NonNullable<Whereabouts['lease']>): string {
  const holder = `held by ${agent} until ${expiresAt.toISOString()}`;
  if (state !== 'awaiting_input') return holder;
  return `${holder}, waiting for an answer${question === undefined ? '' : ` to ${JSON.stringify(shortened(question))}`}`;
}

const MAX_QUESTION_LENGTH = 100;
const shortened = (text: string) =>
  text.length <= MAX_QUESTION_LENGTH ? text : `${text.slice(0, MAX_QUESTION_LENGTH)}…`;

/** For a project's tasks, from their stored fields. Dependencies are read only for the first few. */
export async function waitingInProject(
  scope: Scope,
  tasks: readonly ItemOutline[],
  boards: ReadonlyMap<string, BoardRecord>,
): Promise<InTheWay[]> {
  const references = tasks.slice(0, FEW_TASKS).flatMap(({ waitsFor }) => waitsFor.slice(0, FEW_DEPENDENCIES));
  const found = await findOutlines(scope, references);
  const placeOf = ({ boardId, boardColumnId, lease, assignee }: ItemOutline): Whereabouts => {
    const column = columnAt(boards.get(boardId), boardColumnId);
    return { column: column.name, role: column.role, lease, assignee };
  };
  return tasks.map((task) => ({
    taskId: task.taskId,
    ...placeOf(task),
    hasChildren: task.childCount > 0,
    waitsFor: task.waitsFor.map((reference) => {
      const item = found.find(
        ({ _id, taskId, projectId }) => projectId === task.projectId && (reference === _id || reference === taskId),
      );
      return { name: item?.taskId ?? reference, ...(item && placeOf(item)) };
    }),
  }));
}

/** For a batch, from its plan. Tasks already handed over need nobody, so they block nobody. */
export function waitingInBatch(tasks: readonly PlannedItem[], plan: BatchPlan): InTheWay[] {
  const inBatch = new Map(tasks.map((task) => [task._id, task]));
  const placeOf = (item: PlannedItem): Whereabouts => ({
    column: plan.columnOf(item).name,
    role: plan.columnOf(item).role,
    lease: item.lease,
    assignee: item.assignee,
  });
  return tasks
    .filter((task) => !isHandedOver(plan.columnOf(task).role))
    .map((task) => ({
      taskId: task.taskId,
      ...placeOf(task),
      hasChildren: false,
      waitsFor: (plan.verdicts.get(task._id)?.blockedBy ?? []).map((key) => {
        const item = inBatch.get(key) ?? plan.around.get(key);
        return { name: plan.nameOf(key), ...(item && placeOf(item)) };
      }),
    }));
}
