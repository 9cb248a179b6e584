import type { OperationError } from '@worktrack/contracts/errors';
import { WHERE_PROJECT_IDS_ARE } from '@worktrack/contracts/fields';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardsOfProject } from '../boards/boards.repository.ts';
import { columnOfRole } from '../boards/columns.ts';
import { isInProgress, isPending, type Role } from '../boards/progress.ts';
import type { BudgetRecord } from '../budgets/budgets.model.ts';
import { idsBelow } from '../budgets/budgets.repository.ts';
import { budgetsToShow, isUsedUp, usedUp } from '../budgets/budgets.ts';
import { shared } from '../calls/gathered.ts';
import type { FailingWriteScope, Scope, WriteScope } from '../calls/scope.ts';
import { exists, limitsOf } from '../calls/within.repository.ts';
import { leafTasksOf } from '../context/leaf-tasks-of.ts';

import { planBatch } from '../context/plan-batch.ts';
import { stageOfTask } from '../context/stage.ts';
import { isHeld } from '../items/claimable.ts';
import type { PlannedItem } from '../items/shown/views.ts';
import { findProject, projectHasBudgets } from '../projects/projects.repository.ts';
import { abandonedTasks, type Candidate, readyTasks, takeOrder, tasksIn } from './candidates.repository.ts';
import { waitingInBatch, waitingInProject, whyNot } from './in-the-way.ts';
import { isReserved, reserve } from './reservations.ts';

/** How many are considered: other claims may be about to take the first ones. */
const LOOK = 40;
/** Of tasks whose agents did not come back. They are few, but for when all agents end at once; and no index has them in the order in which they are taken. */
const LOOK_AT_ABANDONED = 1_000;
/** For tasks none of which can be claimed, for the given reason. */
const MAX_COUNTED = 100;
/** Names of nothing that are told. */
const MAX_WRONG = 3;

/** The best task for an agent, reserved until `release`. If there is none: the tasks that others are about to take, or the reason. `problem`: of a project in which there can be none. */
export type Choice =
  | { readonly best: Candidate; readonly release: () => void; readonly budgets: readonly BudgetRecord[] }
  | { readonly reserved: readonly string[] }
  | { readonly reason: string; readonly problem?: OperationError };

/** The best ready tasks of a project: all dependencies met, then by priority, then in board order. */
export async function bestOfProject(
  scope: FailingWriteScope<'NOT_FOUND' | 'VALIDATION_FAILED'>,
  projectId: string,
  now: Date,
): Promise<Choice> {
  const { organizationId } = scope.caller;
  if (!exists(scope.caller, projectId)) return problem(noProject(scope, projectId));
  const hasBudgets = await projectHasBudgets(scope, projectId);
  const { tasks, boards, budgets } = await look(`${organizationId}:${projectId}:${hasBudgets}`, () =>
    lookAt(scope, projectId, now, hasBudgets),
  );
  if (boards.length === 0) return problem(noProject(scope, projectId));
  const usable = boards.filter(isUsable);
  if (usable.length === 0) {
    const message = 'No board of the project has a column of the role in_progress; give it one to claim tasks.';
    return problem(scope.fail('VALIDATION_FAILED', message));
  }
  const columns = usable.flatMap((board) => board.columns);
  const order = takeOrder(columns.map(({ id }) => id));
  const ids = new Set(columns.map(({ id }) => id));
  const inOrder = tasks.filter(({ boardColumnId }) => ids.has(boardColumnId)).sort(order);
  if (inOrder.length > 0) return chosen(inOrder, budgets);
  return { reason: await reasonInProject(scope, boards, budgets.filter(isUsedUp), now) };
}

const problem = (error: OperationError) => ({ reason: error.message, problem: error });

function noProject({ fail }: FailingWriteScope<'NOT_FOUND'>, projectId: string) {
  return fail('NOT_FOUND', `There is no project ${projectId}. ${WHERE_PROJECT_IDS_ARE}.`);
}

/** @throws Stale if there is a ready task by now */
async function reasonInProject(
  scope: Scope,
  boards: readonly BoardRecord[],
  ended: readonly BudgetRecord[],
  now: Date,
): Promise<string> {
  const ofBudgets = reasonOf(ended);
  if (ended.some(({ taskId }) => taskId === null)) return ofBudgets;
  const columns = boards.flatMap((board) => board.columns);
  const idsOf = (is: (role: Role) => boolean) => columns.filter((column) => is(column.role)).map(({ id }) => id);
  const pending = new Set(idsOf(isPending));
  const found = await tasksIn(scope, [...pending, ...idsOf(isInProgress)], MAX_COUNTED);
  const tasks = found.sort(takeOrder([...columns.map(({ id }) => id)]));
  const count = tasks.filter(({ boardColumnId }) => pending.has(boardColumnId)).length;
  const none = noneReady(count, found.length === MAX_COUNTED);
  if (tasks.length === 0) return `${none}.`;
  const underEnded = await idsBelow(
    scope,
    tasks.map(({ _id }) => _id),
    ended.map(({ _id }) => _id),
  );
  const others = tasks.filter(({ _id }) => !underEnded.has(_id));
  if (others.length === 0) return ofBudgets;
  const usable = new Set(boards.filter(isUsable).map(({ _id }) => _id));
  // Since looking for the ready ones: it was created or moved, or the last thing it waited for is done.
  if (others.some(({ claimOrder, boardId }) => claimOrder !== null && usable.has(boardId))) throw new Stale();
  const waiting = await waitingInProject(scope, others, new Map(boards.map((board) => [board._id, board])));
  return `${ofBudgets && `${ofBudgets} `}${none}: ${whyNot(waiting, now)}.`;
}

function noneReady(count: number, isAtLeast: boolean): string {
  if (count === 0) return 'There is no pending task in the project';
  if (count === 1 && !isAtLeast) return "The project's only pending task is not ready";
  return `None of the project's ${count}${isAtLeast ? ' or more' : ''} pending tasks is ready`;
}

function reasonOf(ended: readonly BudgetRecord[]): string {
  return ended.map((budget) => `${usedUp(budget)}.`).join(' ');
}

/** Concurrent claims share one read, and each takes a different task from it. */
const look = shared<Awaited<ReturnType<typeof lookAt>>>();

async function lookAt(scope: Scope, projectId: string, now: Date, hasBudgets: boolean) {
  const budgets = hasBudgets ? await budgetsToShow(scope, [projectId], now) : [];
  const ended = budgets.filter(isUsedUp);
  const isAllEnded = ended.some(({ taskId }) => taskId === null);
  const notBelow = ended.map(({ _id }) => _id);
  const candidates = async (notOn: readonly string[]) => {
    if (isAllEnded) return [];
    const [ready, abandoned] = await Promise.all([
      readyTasks(scope, projectId, LOOK, { notBelow, notOn }),
      abandonedTasks(scope, projectId, now, LOOK_AT_ABANDONED, { notBelow, notOn }),
    ]);
    return [...ready, ...abandoned];
  };
  const [found, boards] = await Promise.all([candidates([]), boardsOfProject(scope, projectId)]);
  const unusable = boards.filter((board) => !isUsable(board)).map(({ _id }) => _id);
  // Rare, so that nobody waits to know the boards first. Its tasks may be any number, and hide those that can be claimed.
  const tasks = unusable.length === 0 ? found : await candidates(unusable);
  return { tasks, boards, budgets };
}

/** Whether what is claimed on it has a column to go to. */
const isUsable = (board: BoardRecord | undefined) =>
  board !== undefined && columnOfRole(board, 'in_progress') !== undefined;

function chosen(inOrder: readonly Candidate[], budgets: readonly BudgetRecord[]): Choice {
  const best = inOrder.find(({ _id }) => !isReserved(_id));
  // Synchronously: calls that share the read choose in the same turn.
  return best ? { best, release: reserve(best._id), budgets } : { reserved: inOrder.map(({ _id }) => _id) };
}

/** The best ready task among the given tasks and the leaf tasks below the other given items. */
export async function bestOfItems(
  scope: FailingWriteScope<'NOT_FOUND' | 'VALIDATION_FAILED'>,
  ids: readonly string[],
  projectId: string | undefined,
  now: Date,
): Promise<Choice> {
  const where = projectId === undefined ? '' : ' in the project';
  const key = JSON.stringify([limitsOf(scope.caller), projectId, ids]);
  const { tasks, notFound, plan, ready } = await planned(key, () => planOf(scope, ids, projectId, now));
  if (tasks.length === 0) {
    if (projectId !== undefined && !(await findProject(scope, projectId))) throw noProject(scope, projectId);
    const [missing] = notFound;
    const message = missing === undefined ? 'none is a task or has tasks below it' : `there is no work item ${missing}`;
    const place = missing === undefined ? '' : where;
    throw scope.fail('NOT_FOUND', `ids: ${message}${place}.`, { details: [{ path: 'ids', message }] });
  }
  // A wrong name among right ones is reported: the task that it was meant for may be ready.
  const wrong = notFound
    .map((id) => ` There is no work item ${id}${where}.`)
    .slice(0, MAX_WRONG)
    .join('');
  const { boards, verdicts } = plan;
  const budgets = await budgetsOf(scope, tasks, now);
  const ended = budgets.filter(isUsedUp);
  const endedProjects = new Set(ended.filter(({ taskId }) => taskId === null).map(({ _id }) => _id));
  const underEnded = await idsBelow(
    scope,
    ready.map(({ _id }) => _id),
    ended.map(({ _id }) => _id),
  );
  const free = ready.filter(({ _id, projectId: of }) => !underEnded.has(_id) && !endedProjects.has(of));
  // Only if there is no other: then it is refused, which says why.
  const usable = free.filter(({ boardId }) => isUsable(boards.get(boardId)));
  if (free.length > 0) return chosen(usable.length > 0 ? usable : free, budgets);
  if (ready.length > 0) return { reason: reasonOf(ended) + wrong };
  const counts = Map.groupBy(verdicts.values(), ({ state }) => state);
  const stateOf = (state: string) => state.replace('_', ' ');
  const [only] = counts.keys();
  const none =
    tasks.length === 1 && only !== undefined
      ? `The task is not ready: it is ${stateOf(only)}.`
      : `None of the ${tasks.length} tasks is ready: ${[...counts].map(([state, { length }]) => `${length} ${stateOf(state)}`).join(', ')}.`;
  const waiting = whyNot(waitingInBatch(tasks, plan), now);
  return { reason: (waiting ? `${none} ${waiting}.` : none) + wrong };
}

/** Concurrent claims below the same items share one plan, which for an epic may be of ten thousand tasks, and each takes a different task from it. */
const planned = shared<Awaited<ReturnType<typeof planOf>>>();

async function planOf(scope: Scope, ids: readonly string[], projectId: string | undefined, now: Date) {
  const { tasks, notFound } = await leafTasksOf(scope, ids, projectId);
  const plan = await planBatch(scope, tasks, stageFor(now));
  const columns = [...plan.boards.values()].flatMap((board) => board.columns.map(({ id }) => id));
  const ready = tasks.filter(({ _id }) => plan.verdicts.get(_id)?.state === 'ready').sort(takeOrder(columns));
  return { tasks, notFound, plan, ready };
}

async function budgetsOf(
  scope: WriteScope,
  tasks: readonly PlannedItem[],
  now: Date,
): Promise<readonly BudgetRecord[]> {
  const projects = [...new Set(tasks.map(({ projectId }) => projectId))];
  const having: string[] = [];
  for (const id of projects) if (await projectHasBudgets(scope, id)) having.push(id);
  return budgetsToShow(scope, having, now);
}

/** A task that nobody holds is pending, though it is in progress: its agent did not come back, or none ever came. */
function stageFor(now: Date) {
  return (task: PlannedItem, role: Role) =>
    isInProgress(role) && !isHeld(task, now) ? 'pending' : stageOfTask(task, role);
}
