import { ItemRef } from '@worktrack/contracts/fields';
import type { Scope } from '../calls/scope.ts';
import type { PlannedItem } from '../items/shown/views.ts';
import { leafTasksBelow } from '../trees/leaf-tasks.ts';
import { outlinesOf } from './outline.repository.ts';

export interface LeafTasks {
  /** In the order of the inputs that led to them. */
  readonly tasks: readonly PlannedItem[];
  /** Inputs that match nothing in the organization, or nothing in the project. */
  readonly notFound: readonly string[];
}

/** The tasks among the given items, and the leaf tasks below the others, as in resolve_work_items: one query, however many there are and however deep. */
export async function leafTasksOf(
  scope: Scope,
  ids: readonly string[],
  projectId: string | undefined,
): Promise<LeafTasks> {
  const refOf = new Map(ids.map((id) => [id, ItemRef.safeParse(id.trim()).data ?? '']));
  const refs = [...new Set(refOf.values())].filter((ref) => ref !== '');
  const trees = await outlinesOf(scope, { named: refs, below: refs }, projectId);
  const byRef = new Map(trees.flatMap((item) => [[item._id, item] as const, [item.taskId, item] as const]));
  const roots = refs.flatMap((ref) => byRef.get(ref) ?? []).filter(({ type }) => type !== 'task');
  const { byRoot } = leafTasksBelow(
    trees,
    roots.map(({ _id }) => _id),
  );

  const tasks = new Map<string, PlannedItem>();
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
