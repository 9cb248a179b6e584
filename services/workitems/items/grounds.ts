import type { Ground } from '@worktrack/runtime/database/writes/write-set';
import { ItemModel, type ItemRecord } from './items.model.ts';

/** An item as it was read: enough to state that nobody has written it since. */
export type ReadItem = Pick<ItemRecord, '_id' | 'organizationId' | 'treeVersion' | 'revision'>;

/** That nobody has written the item, or relied on it exclusively. */
export function asRead({ _id, organizationId, treeVersion, revision }: ReadItem): Ground {
  return { of: ItemModel, filter: { organizationId, _id, treeVersion, revision }, counter: 'revision' };
}

/** That it has its type and its ancestors. */
export function inTree({ _id, organizationId, treeVersion }: Omit<ReadItem, 'revision'>): Ground {
  return { of: ItemModel, filter: { organizationId, _id, treeVersion }, counter: 'revision' };
}

/** That it is in its column. */
export function inColumn(item: Pick<ItemRecord, '_id' | 'organizationId' | 'boardColumnId'>): Ground {
  const { _id, organizationId, boardColumnId } = item;
  return { of: ItemModel, filter: { organizationId, _id, boardColumnId }, counter: 'revision' };
}
