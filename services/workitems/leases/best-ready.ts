import { boardsOfProject } from '../boards/boards.repository.ts';
import { columnNamed } from '../boards/columns.ts';
import { isPending } from '../boards/progress.ts';
import { leafTasksOf } from '../context/leaf-tasks-of.ts';
import type { Outline } from '../context/outline.repository.ts';
import { planBatch } from '../context/plan-batch.ts';
import { stageOf } from '../context/stage.ts';
import { isLive } from '../items/lease.ts';
import type { FailingScope } from '../scope.ts';
import { abandonedTasks, type Candidate, countTasks, readyTasks, takeOrder } from './candidates.repository.ts';
import { isReserved } from './reservations.ts';

/** How many are looked at, of which other claims may be about to take the first, or which are on a board where nothing can be claimed. */
const LOOK = 40;
/** Of pending tasks of which none is ready, for the reason that is given. */
const MAX_COUNTED = 100;

/** What an agent could take: tasks in the order in which they are to be taken, or why there is none. */
export type Choice =
  | { readonly best: Candidate | undefined; readonly reserved: readonly string[] }
  | { readonly reason: string };

/** The best ready tasks of a project: all dependencies met, then by priority, then in the order of the board. */
export async function bestOfProject(
  scope: FailingScope<'NOT_FOUND' | 'VALIDATION_FAILED'>,
  projectId: string,
  now: Date,
): Promise<Choice> {
  const [ready, abandoned, boards] = await Promise.all([
    readyTasks(scope, projectId, LOOK),
    abandonedTasks(scope, projectId, now, LOOK),
    boardsOfProject(scope, projectId),
  ]);
  if (boards.length === 0) throw scope.fail('NOT_FOUND', `There is no project ${projectId}.`);
  const usable = boards.filter((board) => columnNamed(board, 'In Progress'));
  if (usable.length === 0) {
    throw scope.fail(
      'VALIDATION_FAILED',
      'No board of the project has a column named In Progress; add one to claim tasks.',
    );
  }
  const columns = usable.flatMap((board) => board.columns);
  const order = takeOrder(columns.map(({ id }) => id));
  const ids = new Set(columns.map(({ id }) => id));
  const inOrder = [...ready, ...abandoned].filter(({ boardColumnId }) => ids.has(boardColumnId)).sort(order);
  if (inOrder.length > 0) return chosen(inOrder);
  const pending = columns.filter(({ name }) => isPending(name)).map(({ id }) => id);
  const count = await countTasks(scope, pending, MAX_COUNTED);
  if (count === 0) return { reason: 'There is no pending task in the project.' };
  const told = count === MAX_COUNTED ? `${count} or more` : count;
  return {
    reason: `None of the project's ${told} pending tasks is ready: each waits for a dependency or for what is below it. get_implement_context says what for.`,
  };
}

function chosen(inOrder: readonly Candidate[]): Choice {
  const best = inOrder.find(({ _id }) => !isReserved(_id));
  return { best, reserved: best ? [] : inOrder.map(({ _id }) => _id) };
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
  const ready = tasks.filter(({ _id }) => verdicts.get(_id)?.state === 'ready').sort(takeOrder(columns));
  if (ready.length > 0) return chosen(ready);
  const counts = Map.groupBy(verdicts.values(), ({ state }) => state);
  const told = [...counts].map(([state, { length }]) => `${length} ${state.replace('_', ' ')}`).join(', ');
  return { reason: `None of the ${tasks.length} tasks is ready: ${told}.` };
}

/** A task whose agent did not come back is pending again, though it still sits in In Progress. */
function stageFor(now: Date) {
  return (task: Outline, column: string) =>
    column === 'In Progress' && task.lease && !isLive(task.lease, now) ? 'pending' : stageOf(column);
}
