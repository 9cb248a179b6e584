import { isDone, isPending } from '../boards/progress.ts';

/**
 * Where a parent goes after one of its children has moved: to `Done` when all of its children are in `Done`, to `In Progress` when some child has
 * left `Backlog`/`To Do` while the parent is still there, else nowhere.
 * @param childColumns names of the columns of all its children, as they are after the move
 */
export function followChildren(
  parentColumn: string,
  childColumns: readonly string[],
): 'Done' | 'In Progress' | undefined {
  if (childColumns.length === 0) return undefined;
  if (childColumns.every(isDone)) return isDone(parentColumn) ? undefined : 'Done';
  return isPending(parentColumn) && childColumns.some((column) => !isPending(column)) ? 'In Progress' : undefined;
}

/**
 * Whether the other children matter for where the parent goes; if not, the moved child stands for all. A parent may have hundreds of children,
 * and mostly one is moved that is neither the first to start nor the last to end.
 */
export function dependsOnSiblings(parentColumn: string, childColumn: string): boolean {
  if (isDone(childColumn)) return !isDone(parentColumn);
  return isPending(childColumn) && isPending(parentColumn);
}
