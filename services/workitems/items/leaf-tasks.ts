import type { Scope } from '../scope.ts';
import { childrenOf, haveChildren, type ItemOutline } from './items.repository.ts';

/** How many items below all roots together are looked at. */
const MAX_ITEMS_BELOW = 10_000;

export interface LeafTasks {
  /** Ids of the leaf tasks below each root, in the order of their creation. */
  readonly byRoot: ReadonlyMap<string, readonly string[]>;
  /** Something lies deeper, or there is too much to look at. */
  readonly truncated: boolean;
}

/**
 * The tasks below each root that have nothing below themselves. One query per level for all roots together. What lies deeper than `maxDepth` levels
 * is not followed: a task at that depth counts as a leaf.
 */
export async function leafTasksBelow(scope: Scope, roots: readonly string[], maxDepth: number): Promise<LeafTasks> {
  const children = new Map<string, ItemOutline[]>();
  let level = [...new Set(roots)];
  let seen = 0;
  for (let depth = 0; depth < maxDepth && level.length > 0 && seen <= MAX_ITEMS_BELOW; depth++) {
    for (const id of level) children.set(id, []);
    const below = await childrenOf(scope, level);
    below.sort((a, b) => (a._id < b._id ? -1 : 1));
    for (const child of below) if (child.parentId) children.get(child.parentId)?.push(child);
    seen += below.length;
    level = below.map(({ _id }) => _id).filter((id) => !children.has(id));
  }
  let truncated = level.length > 0 && (await haveChildren(scope, level));

  function leavesBelow(id: string, depth: number): string[] {
    return (children.get(id) ?? []).flatMap((child) => {
      const followed = depth + 1 < maxDepth;
      const hasMore = (children.get(child._id) ?? []).length > 0;
      if (followed && hasMore) return leavesBelow(child._id, depth + 1);
      truncated ||= hasMore;
      return child.type === 'task' ? [child._id] : [];
    });
  }
  return { byRoot: new Map(roots.map((root) => [root, leavesBelow(root, 0)])), truncated };
}
