import { MAX_TASK_NESTING } from '../items/parent.ts';
import { resolve } from '../items/resolve.ts';
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

/** The tasks among the given items, and the leaf tasks below the others. As many queries as the tree has levels, however many tasks. */
export async function leafTasksOf(
  scope: Scope,
  ids: readonly string[],
  projectId: string | undefined,
): Promise<LeafTasks> {
  const { resolvedFrom, notFound } = await resolve(scope, {
    ids: [...ids],
    includeLeafTasks: true,
    maxDepth: ALL_LEVELS,
  });
  const outlines = await outlinesOf(scope, resolvedFrom.keys(), projectId);
  const byId = new Map(outlines.map((outline) => [outline._id, outline]));
  const elsewhere = new Set<string>();
  const tasks: Outline[] = [];
  for (const [id, inputs] of resolvedFrom) {
    const task = byId.get(id);
    if (task) tasks.push(task);
    else for (const input of inputs) elsewhere.add(input);
  }
  return { tasks, notFound: [...notFound, ...elsewhere] };
}
