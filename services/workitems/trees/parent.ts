import { ITEM_TYPES, type ItemType } from '@worktrack/contracts/work-items/work-item';
import { boardOf } from '../boards/boards.repository.ts';
import type { FailingWriteScope, WriteScope } from '../calls/scope.ts';
import { claimable } from '../items/claimable.ts';
import { aboveAllBelow, aboveChildrenOf, ancestorIdsOf, below, foundBy } from '../items/found-by.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { childOfType, countBelow, findItem } from '../items/items.repository.ts';
import type { ItemOutline } from '../items/shown/views.ts';
import { adjustItem } from '../writes/change-item.ts';
import { soFarOf } from '../writes/so-far.ts';
import { parentFault } from './parent-rules.ts';
import { countChildren, replaceAncestors } from './tree-writes.ts';

/** Levels of a tree, including its root. Only tasks can nest in their own type; this bounds the cost of a cascade, and how much an item stores about its ancestors. */
export const MAX_TREE_LEVELS = 20;

export type Child = Pick<ItemRecord, 'type' | 'projectId'> & {
  /** Absent while the child is being created: nothing can be below it. */
  readonly existing?: ItemRecord & { readonly levelsBelow: number };
};

/**
 * Rejects a parent that the child may not have. Storing the child counts it in the parent (countChildren), which excludes everything that would make the parent
 * invalid. That is its deletion, a change of its type, and a new parent for any of its ancestors, which writes the parent too.
 */
export function requireParentFor(
  scope: FailingWriteScope<'VALIDATION_FAILED'>,
  { type, projectId, existing }: Child,
  parent: ItemRecord,
): void {
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
  const levels = ancestorIdsOf(parent).length + 2 + (existing?.levelsBelow ?? 0);
  if (levels > MAX_TREE_LEVELS) throw refuse(`Work items may be nested ${MAX_TREE_LEVELS} levels deep at most`);
}

/**
 * After the item itself was given another parent, or none.
 * @param descendants how many items there are below it, as the rule saw them
 */
export async function followParent(
  scope: WriteScope,
  item: ItemRecord,
  parent: ItemRecord | null,
  descendants: number,
): Promise<void> {
  await leaveParent(scope, item.parentId);
  if (parent) countChildren(scope, parent, 1);
  // A child that is added meanwhile writes the item, which is changed here.
  if (descendants === 0) return;
  replaceAncestors(
    scope,
    [item],
    { removed: aboveAllBelow(item), added: aboveAllBelow({ foundBy: foundBy(item, parent) }) },
    descendants,
  );
}

/** After some of an item's children, and not its last, were given no parent. */
export async function loseSome(scope: WriteScope, item: ItemRecord, children: readonly ItemOutline[]): Promise<void> {
  await loseChildren(scope, item, children.length);
  const parents = children.filter(({ childCount }) => childCount > 0);
  if (parents.length === 0) return;
  const descendants = await countBelow(scope, parents);
  replaceAncestors(scope, parents, { removed: aboveChildrenOf(item), added: [] }, descendants);
}

/** When an item is deleted, its children become roots, without any ancestors. */
export function loseParent(scope: WriteScope, item: ItemRecord): void {
  replaceAncestors(scope, [item], { removed: aboveChildrenOf(item), added: [] });
}

/**
 * One child less. A task that has lost its last one becomes work to be done itself again, so of several that leave a task at once, each checks how many are
 * left.
 */
export async function leaveParent(scope: WriteScope, parentId: string | null): Promise<void> {
  const parent = parentId === null ? null : await findItem(scope, parentId);
  if (parent) await loseChildren(scope, parent, 1);
}

async function loseChildren(scope: WriteScope, parent: ItemRecord, children: number): Promise<void> {
  if (parent.type !== 'task') return countChildren(scope, parent, -children);
  const board = await boardOf(scope, parent);
  const now = soFarOf(scope, parent);
  const childCount = now.childCount - children;
  adjustItem(scope, parent, { childCount, ...claimable({ ...now, childCount }, board) });
}

/** A changed type must still be allowed as the parent of the existing children. */
export async function requireTypeForChildren(
  scope: FailingWriteScope<'VALIDATION_FAILED'>,
  item: ItemRecord,
  type: ItemType,
): Promise<void> {
  const forbidden = ITEM_TYPES.filter((each) => parentFault(each, type));
  const child = forbidden.length > 0 ? await childOfType(scope, item._id, forbidden) : null;
  const fault = child && parentFault(child.type, type);
  if (!fault) return;
  const message = `${item.taskId} has ${child.taskId} as a child, and ${fault.charAt(0).toLowerCase()}${fault.slice(1)}`;
  throw scope.fail('VALIDATION_FAILED', `${message}. Give its children another parent first.`, {
    details: [{ path: 'type', message }],
  });
}
