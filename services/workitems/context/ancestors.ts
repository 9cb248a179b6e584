import type { ItemRecord } from '../items/items.model.ts';
import { findItem } from '../items/items.repository.ts';
import type { Scope } from '../scope.ts';

/** From the parent upwards. */
export async function ancestorsOf(scope: Scope, item: Pick<ItemRecord, 'parentId'>): Promise<ItemRecord[]> {
  const ancestors: ItemRecord[] = [];
  for (let parentId = item.parentId; parentId !== null; ) {
    const parent = await findItem(scope, parentId);
    // Gone since the child was read, or (never, by the rules of parents) a cycle.
    if (!parent || ancestors.some(({ _id }) => _id === parent._id)) break;
    ancestors.push(parent);
    parentId = parent.parentId;
  }
  return ancestors;
}
