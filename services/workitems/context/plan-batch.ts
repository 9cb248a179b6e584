import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { columnIn } from '../boards/columns.ts';
import { isMet, type Role } from '../boards/progress.ts';
import type { BudgetRecord } from '../budgets/budgets.model.ts';
import type { Scope } from '../calls/scope.ts';
import { dependenciesOf } from '../dependencies/dependencies.ts';
import type { PlannedItem } from '../items/shown/views.ts';
import { surroundings } from './outline.repository.ts';
import { stageOf, stageOfTask } from './stage.ts';
import { type Plan, type Progress, planWaves } from './waves.ts';

export interface BatchPlan extends Plan {
  readonly boards: ReadonlyMap<string, BoardRecord>;
  /** All boards of the projects. */
  readonly budgets: readonly BudgetRecord[];
  /** What surrounds the batch and was read with it: parents, and dependencies outside it. */
  readonly around: ReadonlyMap<string, PlannedItem>;
  /** The keys of a task's dependencies, as they are in `blockedBy`. */
  dependenciesOf(task: PlannedItem): readonly string[];
  /** The task ID behind a key; for an unknown dependency, the text as written. */
  nameOf(key: string): string;
  columnOf(item: PlannedItem): ColumnRecord;
}

/** Prefix of the written text in the key of an unknown dependency: no id starts like this. */
const NAMES_NOTHING = '?';

/**
 * Plans a batch of tasks. Their surroundings and boards are read with one query, however many tasks there are.
 * @param stage how far a task is; default: by its column
 */
export async function planBatch(
  scope: Scope,
  tasks: readonly PlannedItem[],
  stage: (task: PlannedItem, role: Role) => Progress = stageOfTask,
): Promise<BatchPlan> {
  const inBatch = new Map(tasks.map((task) => [task._id, task]));
  const byTaskId = new Map(tasks.map((task) => [task.taskId, task]));
  const wanted = new Set<string>();
  for (const task of tasks) {
    if (task.parentId !== null) wanted.add(task.parentId);
    for (const reference of dependenciesOf(task.metadata)) wanted.add(reference);
  }
  const named = [...wanted].filter((reference) => !inBatch.has(reference) && !byTaskId.has(reference));
  const projectIds = new Set(tasks.map(({ projectId }) => projectId));
  const { items, boards, budgets } = await surroundings(scope, { named }, projectIds, { alsoBudgets: true });
  // Dependencies are within one project: an id from elsewhere counts as unknown.
  const around = items.filter(({ projectId }) => projectIds.has(projectId));
  const known = new Map<string, PlannedItem>();
  for (const item of [...around, ...tasks]) known.set(item._id, item).set(item.taskId, item);
  const columnOf = (item: PlannedItem) => columnIn(boards, item);

  const keysOf = (task: PlannedItem) =>
    dependenciesOf(task.metadata).map((reference) => {
      const item = known.get(reference);
      return item?.projectId === task.projectId ? item._id : NAMES_NOTHING + reference;
    });
  const dependencies = new Map(tasks.map((task) => [task._id, [...new Set(keysOf(task))]]));

  const plan = planWaves(
    tasks.map((task) => ({
      id: task._id,
      progress: stage(task, columnOf(task).role),
      dependsOn: dependencies.get(task._id) ?? [],
    })),
    (key) => {
      const item = known.get(key);
      return item && stageOf(columnOf(item).role);
    },
    (progress, key) => {
      const item = known.get(key);
      const board = item && boards.get(item.boardId);
      return progress !== 'pending' && board !== undefined && isMet(columnOf(item as PlannedItem).role, board);
    },
  );
  return {
    ...plan,
    boards,
    budgets,
    around: new Map(around.map((item) => [item._id, item])),
    dependenciesOf: (task) => dependencies.get(task._id) ?? [],
    nameOf: (key) => known.get(key)?.taskId ?? key.slice(NAMES_NOTHING.length),
    columnOf,
  };
}
