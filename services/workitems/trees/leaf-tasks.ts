import type { ItemRecord } from '../items/items.model.ts';

type Node = Pick<ItemRecord, '_id' | 'type' | 'parentId'>;

export interface LeafTasks {
  /** Ids of the leaf tasks below each root, in the order of their creation. */
  readonly byRoot: ReadonlyMap<string, readonly string[]>;
  /** There is something deeper. */
  readonly truncated: boolean;
}

/**
 * The tasks below each root that have nothing below themselves. Nothing deeper than `maxDepth` levels is followed: a task at that depth
 * counts as a leaf.
 * @param trees at least everything below the roots
 */
export function leafTasksBelow(
  trees: readonly Node[],
  roots: readonly string[],
  maxDepth = Number.POSITIVE_INFINITY,
): LeafTasks {
  const children = childrenByParent(trees);
  let truncated = false;
  function leavesBelow(id: string, depth: number): string[] {
    return (children.get(id) ?? []).flatMap((child) => {
      const hasMore = children.has(child._id);
      if (hasMore && depth < maxDepth) return leavesBelow(child._id, depth + 1);
      truncated ||= hasMore;
      return child.type === 'task' ? [child._id] : [];
    });
  }
  return { byRoot: new Map(roots.map((root) => [root, leavesBelow(root, 1)])), truncated };
}

function childrenByParent(trees: readonly Node[]): ReadonlyMap<string | null, Node[]> {
  const inOrderOfCreation = trees.toSorted((a, b) => (a._id < b._id ? -1 : 1));
  return Map.groupBy(inOrderOfCreation, ({ parentId }) => parentId);
}
