import type { Priority } from '@worktrack/contracts/work-items/work-item';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardsOfProject } from '../boards/boards.repository.ts';
import { columnNamed } from '../boards/columns.ts';
import { isPending } from '../boards/progress.ts';
import { leafTasksOf } from '../context/leaf-tasks-of.ts';
import type { Outline } from '../context/outline.repository.ts';
import { planBatch } from '../context/plan-batch.ts';
import { stageOf } from '../context/stage.ts';
import type { FailingScope } from '../scope.ts';
import { BEST_FIRST, firstTasks, parentsAmong, takeOrder, tasksWithExpiredLease } from './candidates.repository.ts';
import { isLive } from './lease.ts';

/** How many tasks of a column are looked at before more of them are: mostly the first ones are ready. */
const LOOKS = [8, 64, 1_000_000];

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
  const abandoned = (await readyAmong(scope, expired, now)).sort(order)[0];
  let pendingTasks = 0;
  for (const priority of BEST_FIRST) {
    for (const boardColumnId of pending) {
      const { best, seen } = await bestOfColumn(scope, { boardColumnId, priority }, now);
      pendingTasks += seen;
      if (!best) continue;
      const first = abandoned && order(abandoned, best) < 0 ? abandoned : best;
      return { taskId: first.taskId, itemId: first._id };
    }
  }
  if (abandoned) return { taskId: abandoned.taskId, itemId: abandoned._id };
  if (pendingTasks === 0) return { reason: 'There is no pending task in the project.' };
  return {
    reason: `None of the project's ${pendingTasks} pending tasks is ready: each waits for a dependency or for what is below it. get_implement_context says what for.`,
  };
}

/** The first ready task of a column's tasks of one priority; without one, how many there are. */
async function bestOfColumn(
  scope: FailingScope<never>,
  where: { readonly boardColumnId: string; readonly priority: Priority },
  now: Date,
): Promise<{ readonly best?: Outline; readonly seen: number }> {
  let seen = 0;
  for (const count of LOOKS) {
    const first = await firstTasks(scope, where, count);
    const [best] = await readyAmong(scope, first.slice(seen), now);
    seen = first.length;
    if (best) return { best, seen };
    if (first.length < count) break;
  }
  return { seen };
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

/** In their order. A task that has others below it is done by doing those. */
async function readyAmong(scope: FailingScope<never>, tasks: readonly Outline[], now: Date): Promise<Outline[]> {
  if (tasks.length === 0) return [];
  const { verdicts } = await planBatch(scope, tasks, stageFor(now));
  const ready = tasks.filter(({ _id }) => verdicts.get(_id)?.state === 'ready');
  const parents = await parentsAmong(
    scope,
    ready.map(({ _id }) => _id),
  );
  return ready.filter(({ _id }) => !parents.has(_id));
}

/** A task whose agent did not come back is pending again, though it still sits in In Progress. */
function stageFor(now: Date) {
  return (task: Outline, column: string) =>
    column === 'In Progress' && task.lease && !isLive(task.lease, now) ? 'pending' : stageOf(column);
}
