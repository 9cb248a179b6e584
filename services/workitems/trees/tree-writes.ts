import { oneOf } from '@worktrack/runtime/database/one-of';
import type { WriteScope } from '../calls/scope.ts';
import { NOT_CLAIMABLE } from '../items/claimable.ts';
import { below } from '../items/found-by.ts';
import { asRead, inTree } from '../items/grounds.ts';
import { ItemModel } from '../items/items.model.ts';
import type { ItemOutline } from '../items/shown/views.ts';
import { forgetReadiness } from '../writes/ready.ts';
import { keepSoFar, soFarOf } from '../writes/so-far.ts';

/**
 * Counts children that an item gets or loses. It relies only on the item's place in the tree and its type, so that any number of children may be added at once.
 * The first child is the exception: something may come to depend on the item meanwhile, relying on its having no children (cycle.ts).
 */
export function countChildren(scope: WriteScope, parent: ItemOutline, children: number): void {
  if (children > 0) forgetReadiness(scope, parent._id);
  // A task with others below it is done by doing those.
  const set = children > 0 ? { ...NOT_CLAIMABLE } : undefined;
  scope.writes.rely(children > 0 && parent.childCount === 0 ? asRead(parent) : inTree(parent), 'shared', {
    inc: { childCount: children },
    ...(set && { set }),
  });
  keepSoFar(scope, parent, { ...set, childCount: soFarOf(scope, parent).childCount + children });
}

/**
 * Moves what the whole trees below some items say about their ancestors from the old ones to the new ones. See found-by.ts.
 * @param expected how many items there are below them
 */
export function replaceAncestors(
  { caller: { organizationId }, writes }: WriteScope,
  items: readonly Pick<ItemOutline, '_id'>[],
  { removed, added }: { readonly removed: readonly string[]; readonly added: readonly string[] },
  expected?: number,
): void {
  const kept = { $filter: { input: '$foundBy', cond: { $not: { $in: ['$$this', removed] } } } };
  const counted = (field: string) => ({ [field]: { $add: [`$${field}`, 1] } });
  writes.updateMany(
    ItemModel,
    { organizationId, foundBy: oneOf(items.map(({ _id }) => below(_id))) },
    [{ $set: { foundBy: { $concatArrays: [kept, added] }, ...counted('treeVersion'), ...counted('revision') } }],
    expected,
  );
}
