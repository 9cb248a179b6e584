import type { Scope } from '../calls/scope.ts';
import { ancestorIdsOf } from '../items/found-by.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';

type Epic = Pick<ItemRecord, '_id' | 'taskId'>;

/** The epic that each item is below, or is, by the item's id; those that have none are left out. Two queries, however deep they are. */
export async function epicsAbove({ caller }: Scope, itemIds: readonly string[]): Promise<ReadonlyMap<string, Epic>> {
  if (itemIds.length === 0) return new Map();
  const { organizationId } = caller;
  const items = await ItemModel.aggregate<Pick<ItemRecord, '_id' | 'foundBy'>>([
    { $match: { organizationId, _id: { $in: [...itemIds] } } },
    { $project: { foundBy: 1 } },
  ]);
  // An epic has no parent, so it can only be the last of the ancestors.
  const topOf = new Map(items.map((item) => [item._id, ancestorIdsOf(item).at(-1) ?? item._id]));
  const found = await ItemModel.aggregate<Epic & Pick<ItemRecord, 'type'>>([
    { $match: { organizationId, _id: { $in: [...new Set(topOf.values())] } } },
    { $project: { taskId: 1, type: 1 } },
  ]);
  const epics = new Map(found.filter(({ type }) => type === 'epic').map((epic) => [epic._id, epic]));
  return new Map(
    [...topOf].flatMap(([id, topId]) => {
      const epic = epics.get(topId);
      return epic ? [[id, epic] as const] : [];
    }),
  );
}
