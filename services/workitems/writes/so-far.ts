import type { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import type { WriteScope } from '../calls/scope.ts';
import type { ItemRecord } from '../items/items.model.ts';
import type { ItemOutline } from '../items/shown/views.ts';

interface Changed {
  readonly read: ItemOutline;
  readonly set: Partial<ItemRecord>;
}
const soFar = new WeakMap<WriteSet, Map<string, Changed>>();

/**
 * A rule may come upon an item in several ways: as what it changes, as the parent of that, or as what depends on it. Each time it reads the item as it is
 * stored. Its earlier changes to the item are kept here, so that its last conclusion takes all of them into account.
 */
export function keepSoFar({ writes }: WriteScope, read: ItemOutline, set: Partial<ItemRecord>): void {
  const items = soFar.get(writes) ?? new Map<string, Changed>();
  soFar.set(writes, items);
  const before = items.get(read._id);
  items.set(read._id, { read: before?.read ?? read, set: { ...before?.set, ...set } });
}

/** As the write leaves it so far, but for the revision that was read: that is what the write relies on. */
export function soFarOf<Item extends Pick<ItemRecord, '_id'>>({ writes }: WriteScope, read: Item): Item {
  return { ...read, ...soFar.get(writes)?.get(read._id)?.set };
}
