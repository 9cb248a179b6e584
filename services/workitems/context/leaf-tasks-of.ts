import { ItemRef } from '@worktrack/contracts/fields';
import { leafTasksBelow } from '../items/leaf-tasks.ts';
import { MAX_TASK_NESTING } from '../items/parent.ts';
import type { Scope } from '../scope.ts';
import { type Outline, outlinesOf } from './outline.repository.ts';

/** Epic, feature, story, and tasks below tasks: nothing lies deeper. */
const ALL_LEVELS = 3 + MAX_TASK_NESTING;

export interface LeafTasks {
  /** In the order of the inputs that led to them. */
  readonly tasks: readonly Outline[];
  /** Inputs that name nothing in the organization, or nothing in the project. */
  readonly notFound: readonly string[];
}

/**
 * The tasks among the given items, and the leaf tasks below the others, as resolve_work_items finds them. Tasks are read in one query; where others are
 * given it takes another for each level below them, however many tasks there are.
 */
export async function leafTasksOf(
  scope: Scope,
  ids: readonly string[],
  projectId: string | undefined,
): Promise<LeafTasks> {
  const refOf = new Map(ids.map((id) => [id, ItemRef.safeParse(id.trim()).data ?? '']));
  const given = await outlinesOf(
    scope,
    [...refOf.values()].filter((ref) => ref !== ''),
    projectId,
  );
  const byRef = new Map(given.flatMap((item) => [[item._id, item] as const, [item.taskId, item] as const]));
  const roots = given.filter(({ type }) => type !== 'task').map(({ _id }) => _id);
  const { byRoot } = await leafTasksBelow(scope, roots, ALL_LEVELS);
  const below = [...byRoot.values()].flat().filter((id) => !byRef.has(id));
  for (const leaf of await outlinesOf(scope, below)) byRef.set(leaf._id, leaf);

  const tasks = new Map<string, Outline>();
  const notFound: string[] = [];
  for (const [id, ref] of refOf) {
    const item = byRef.get(ref);
    if (!item) notFound.push(id);
    else
      for (const taskId of byRoot.get(item._id) ?? [item._id]) {
        const task = byRef.get(taskId);
        if (task) tasks.set(taskId, task);
      }
  }
  return { tasks: [...tasks.values()], notFound };
}
