import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import type { FailingWriteScope, WriteScope } from '../scope.ts';
import { aboveAllBelow, aboveChildrenOf, ancestorIdsOf, below, foundBy } from './found-by.ts';
import type { ItemRecord } from './items.model.ts';
import { childrenOf, heightBelow, replaceAncestors, touch } from './items.repository.ts';
import { parentFault } from './parent-rules.ts';

/** Levels of a tree, its top included. Only tasks nest in each other; this bounds what a cascade may cost, and how much an item says of its ancestors. */
export const MAX_TREE_LEVELS = 20;

export type Child = Pick<ItemRecord, 'type' | 'projectId'> & {
  /** Absent while the child is being created: nothing can be below it. */
  readonly existing?: ItemRecord;
};

/**
 * Refuses a parent that the child may not have, and makes this transaction conflict with what would make it so: the parent's deletion or change of
 * type, and a new parent of any of its ancestors, which writes the parent too.
 */
export async function requireParentFor(
  scope: FailingWriteScope<'VALIDATION_FAILED'>,
  { type, projectId, existing }: Child,
  parent: ItemRecord,
): Promise<void> {
  const refuse = (message: string) =>
    scope.fail('VALIDATION_FAILED', `${message}.`, { details: [{ path: 'parentId', message }] });

  if (parent._id === existing?._id) throw refuse('A work item cannot be its own parent');
  const fault = parentFault(type, parent.type);
  if (fault) throw refuse(`${fault} (${parent.taskId})`);
  if (parent.projectId !== projectId) {
    throw refuse(`Parent and child must be in one project; ${parent.taskId} is in another`);
  }
  if (existing && parent.foundBy.includes(below(existing._id))) {
    throw refuse(`${parent.taskId} is below this work item, so it cannot be its parent`);
  }
  const levels = ancestorIdsOf(parent).length + 2 + (existing ? await heightBelow(scope, existing) : 0);
  if (levels > MAX_TREE_LEVELS) throw refuse(`Work items may be nested ${MAX_TREE_LEVELS} levels deep at most`);
  await touch(scope, [parent._id]);
}

/** After the item itself was given another parent, or none. */
export async function followParent(scope: WriteScope, item: ItemRecord, parent: ItemRecord | null): Promise<void> {
  await replaceAncestors(scope, item._id, {
    removed: aboveAllBelow(item),
    added: aboveAllBelow({ foundBy: foundBy(item, parent) }),
  });
}

/** When an item goes, what was its child stands at the top, and knows none of its ancestors any more. */
export async function loseParent(scope: WriteScope, item: ItemRecord): Promise<void> {
  await replaceAncestors(scope, item._id, { removed: aboveChildrenOf(item), added: [] });
}

/** A changed type must still be allowed as the parent of the children that are there. */
export async function requireTypeForChildren(
  scope: FailingWriteScope<'VALIDATION_FAILED'>,
  item: ItemRecord,
  type: ItemType,
): Promise<void> {
  for (const child of await childrenOf(scope, [item._id])) {
    const fault = parentFault(child.type, type);
    if (fault) {
      const message = `${item.taskId} has ${child.taskId} as a child, and ${fault.charAt(0).toLowerCase()}${fault.slice(1)}`;
      throw scope.fail('VALIDATION_FAILED', `${message}. Give its children another parent first.`, {
        details: [{ path: 'type', message }],
      });
    }
  }
}
