import type { Scope } from '../calls/scope.ts';
import { ancestorIdsOf } from '../items/found-by.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { findItems } from '../items/items.repository.ts';

/** From the parent upwards. */
export async function ancestorsOf(scope: Scope, item: Pick<ItemRecord, 'foundBy'>): Promise<ItemRecord[]> {
  const ids = ancestorIdsOf(item);
  const found = new Map((await findItems(scope, ids)).map((ancestor) => [ancestor._id, ancestor]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
