import type { BoardRecord } from '../boards/boards.model.ts';
import { boardsOfProject } from '../boards/boards.repository.ts';
import { columnNamed } from '../boards/columns.ts';
import { isPending } from '../boards/progress.ts';
import { leafTasksOf } from '../context/leaf-tasks-of.ts';
import type { Outline } from '../context/outline.repository.ts';
import { planBatch } from '../context/plan-batch.ts';
import { stageOf } from '../context/stage.ts';
import type { FailingScope } from '../scope.ts';
import { parentsAmong, takeOrder, tasksInTakeOrder, tasksWithExpiredLease } from './candidates.repository.ts';
import { isLive } from './lease.ts';

/** How many of a project's pending tasks are looked at before all of them are: mostly the best ones are ready. */
const FIRST_LOOK = 64;
const ALL = 1_000_000;

/** The task that an agent should take next, or why there is none. */
export type Choice = { readonly taskId: string; readonly itemId: string } | { readonly reason: string };

/** The best ready task of a project: all dependencies met, then by priority, then in the order of the board. */
export async function bestOfProject(
  scope: FailingScope<'NOT_FOUND' | 'VALIDATION_FAILED'>,
  projectId: string,
  now: Date,
): Promise<Choice> {
  const boards = await boardsOfProject(scope, projectId);
  if (boards.length === 0) throw scope.fail('NOT_FOUND', `There is no project ${projectId}.`);
  const usable = boards.filter((board) => columnNamed(board, 'In Progress'));
  if (usable.length === 0) {
    throw scope.fail(
      'VALIDATION_FAILED',
      'No board of the project has a column named In Progress; add one to claim tasks.',
    );
  }
  const columns = usable.flatMap((board) => board.columns);
  const pending = columns.filter(({ name }) => isPending(name)).map(({ id }) => id);
  const order = takeOrder(columns.map(({ id }) => id));

  const expired = await tasksWithExpiredLease(scope, inProgressColumns(usable), now);
  let looked = expired;
  let seen = 0;
  for (const limit of [FIRST_LOOK, ALL]) {
    const page = await tasksInTakeOrder(scope, pending, seen, limit);
    seen += page.length;
    const ready = await readyAmong(scope, [...looked, ...page].sort(order), now);
    // A task with others below it is done by doing those.
    const parents = await parentsAmong(
      scope,
      ready.map(({ _id }) => _id),
    );
    const best = ready.find(({ _id }) => !parents.has(_id));
    if (best) return { taskId: best.taskId, itemId: best._id };
    if (page.length < limit) break;
    looked = [];
  }
  if (seen === 0) return { reason: 'There is no pending task in the project.' };
  return {
    reason: `None of the project's ${seen} pending tasks is ready: each waits for a dependency or for what is below it. get_implement_context says what for.`,
  };
}

function inProgressColumns(boards: readonly BoardRecord[]): string[] {
  return boards.flatMap((board) => columnNamed(board, 'In Progress')?.id ?? []);
}

/** The best ready one of the given tasks and of the leaf tasks below other given items. */
export async function bestOfItems(
  scope: FailingScope<'NOT_FOUND' | 'VALIDATION_FAILED'>,
  ids: readonly string[],
  projectId: string | undefined,
  now: Date,
): Promise<Choice> {
  const { tasks } = await leafTasksOf(scope, ids, projectId);
  if (tasks.length === 0) {
    throw scope.fail('NOT_FOUND', 'None of the ids names a task, or an item with tasks below it, of the project.', {
      details: [{ path: 'ids', message: 'must name tasks, or items with tasks below them' }],
    });
  }
  const { boards, verdicts } = await planBatch(scope, tasks, stageFor(now));
  const columns = [...boards.values()].flatMap((board) => board.columns.map(({ id }) => id));
  const [best] = tasks.filter(({ _id }) => verdicts.get(_id)?.state === 'ready').sort(takeOrder(columns));
  if (best) return { taskId: best.taskId, itemId: best._id };
  const counts = Map.groupBy(verdicts.values(), ({ state }) => state);
  const told = [...counts].map(([state, { length }]) => `${length} ${state.replace('_', ' ')}`).join(', ');
  return { reason: `None of the ${tasks.length} tasks is ready: ${told}.` };
}

async function readyAmong(scope: FailingScope<never>, tasks: readonly Outline[], now: Date): Promise<Outline[]> {
  const { verdicts } = await planBatch(scope, tasks, stageFor(now));
  return tasks.filter(({ _id }) => verdicts.get(_id)?.state === 'ready');
}

/** A task whose agent did not come back is pending again, though it still sits in In Progress. */
function stageFor(now: Date) {
  return (task: Outline, column: string) =>
    column === 'In Progress' && task.lease && !isLive(task.lease, now) ? 'pending' : stageOf(column);
}
