import type { ItemRecord } from '../items/items.model.ts';
import { findItems } from '../items/items.repository.ts';
import type { Scope } from '../scope.ts';
import { ancestorIdsOf } from '../trees/found-by.ts';

/** From the parent upwards. */
export async function ancestorsOf(scope: Scope, item: Pick<ItemRecord, 'foundBy'>): Promise<ItemRecord[]> {
  const ids = ancestorIdsOf(item);
  const found = new Map((await findItems(scope, ids)).map((ancestor) => [ancestor._id, ancestor]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
