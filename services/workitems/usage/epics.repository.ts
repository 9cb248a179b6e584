import type { Scope } from '../calls/scope.ts';
import { ancestorIdsOf } from '../items/found-by.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { piecesOf } from '../sessions/sessions.repository.ts';

type Epic = Pick<ItemRecord, '_id' | 'taskId'>;

/** The epic that each item is below, or is, by the item's id; those that have none are left out. Two queries for each piece, however deep they are. */
export async function epicsAbove({ caller }: Scope, itemIds: readonly string[]): Promise<ReadonlyMap<string, Epic>> {
  const { organizationId } = caller;
  const topOf = new Map<string, string>();
  for (const ids of piecesOf(itemIds)) {
    const items = await ItemModel.aggregate<Pick<ItemRecord, '_id' | 'foundBy'>>([
      { $match: { organizationId, _id: { $in: [...ids] } } },
      { $project: { foundBy: 1 } },
    ]);
    // An epic has no parent, so it can only be the last of the ancestors.
    for (const item of items) topOf.set(item._id, ancestorIdsOf(item).at(-1) ?? item._id);
  }
  const epics = new Map<string, Epic>();
  for (const ids of piecesOf([...new Set(topOf.values())])) {
    const found = await ItemModel.aggregate<Epic & Pick<ItemRecord, 'type'>>([
      { $match: { organizationId, _id: { $in: ids } } },
      { $project: { taskId: 1, type: 1 } },
    ]);
    for (const each of found) if (each.type === 'epic') epics.set(each._id, each);
  }
  return new Map(
    [...topOf].flatMap(([id, topId]) => {
      const epic = epics.get(topId);
      return epic ? [[id, epic] as const] : [];
    }),
  );
}
