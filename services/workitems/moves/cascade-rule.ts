import { isDone, isPending, type Role } from '../boards/progress.ts';

/**
 * Where a parent goes after one of its children has moved.
 * - To `done` if all of its children are.
 * - To `in_progress` if some child has been begun while the parent is still pending.
 * - Otherwise nowhere.
 *
 * @param children the roles of the columns of all its children, after the move
 */
export function followChildren(parent: Role, children: readonly Role[]): 'done' | 'in_progress' | undefined {
  if (children.length === 0) return undefined;
  if (children.every(isDone)) return isDone(parent) ? undefined : 'done';
  return isPending(parent) && children.some((child) => !isPending(child)) ? 'in_progress' : undefined;
}

/**
 * Whether the other children affect where the parent goes; if not, the moved child represents all. A parent may have hundreds of children,
 * and usually the one that moves is neither the first to start nor the last to finish.
 */
export function dependsOnSiblings(parent: Role, child: Role): boolean {
  if (isDone(child)) return !isDone(parent);
  return isPending(child) && isPending(parent);
}
