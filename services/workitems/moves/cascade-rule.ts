import { isDone, isPending } from '../boards/progress.ts';

/**
 * Where a parent goes after one of its children has moved: to `Done` if all of its children are in `Done`, to `In Progress` if some child has
 * left `Backlog`/`To Do` while the parent is still there, else nowhere.
 * @param childColumns the column names of all its children, after the move
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
 * Whether the other children affect where the parent goes; if not, the moved child represents all. A parent may have hundreds of children,
 * and usually the one that moves is neither the first to start nor the last to finish.
 */
export function dependsOnSiblings(parentColumn: string, childColumn: string): boolean {
  if (isDone(childColumn)) return !isDone(parentColumn);
  return isPending(childColumn) && isPending(parentColumn);
}
