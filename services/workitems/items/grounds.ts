import type { Ground } from '@worktrack/runtime/database/writes/write-set';
import type { Scope } from '../calls/scope.ts';
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

/** That nothing is below it. */
export function withoutChildren({ caller }: Scope, { _id }: Pick<ItemRecord, '_id'>): Ground {
  return { of: ItemModel, filter: { organizationId: caller.organizationId, _id, childCount: 0 }, counter: 'revision' };
}

/** That nothing is below it, and it depends on nothing. */
export function waitingForNothing(scope: Scope, item: Pick<ItemRecord, '_id'>): Ground {
  const { filter, ...rest } = withoutChildren(scope, item);
  return { ...rest, filter: { ...filter, dependsOn: [] } };
}
