import { MAX_COUNTED } from '@worktrack/contracts/fields';
import { inOrder, type OrderedRead } from '@worktrack/runtime/database/in-order';
import type { SearchQuery } from '@worktrack/runtime/text/words';
import type { PipelineStage } from 'mongoose';
import { ItemModel } from '../items/items.model.ts';
import { type ItemOrder, LISTED, type ListedItem, ORDERS } from '../lists/listed-items.repository.ts';
import type { Where } from '../lists/where.ts';
import type { Total } from '../paging.ts';
import { idsOfProjects } from '../projects/projects.repository.ts';
import type { Scope } from '../scope.ts';
import { SearchModel } from './search.model.ts';

/** Which items match. */
export interface Matching {
  readonly query: SearchQuery;
  readonly where: Where;
  /** Of an item that is left out. */
  readonly exceptId: string | undefined;
}

type Page = Pick<OrderedRead, 'after' | 'limit'> & { readonly skip: number };

/**
 * The items that have all words of a query. Newest first the index of entries gives the order, and what is asked for beside the words is looked up in
 * the items one by one, until there are enough. The order of a column no entry knows, since a move would have to write it anew: there the
 * matches in the column are sorted, of which no more than a page is kept.
 */
export async function matchesInOrder(
  scope: Scope,
  which: Matching,
  order: ItemOrder,
  { after, skip, limit }: Page,
): Promise<ListedItem[]> {
  const filter = await entriesWith(scope, which);
  const choose = [...except(which), ...itemsLike(which)];
  const present: PipelineStage[] = [...(choose.some((stage) => '$lookup' in stage) ? [] : [LOOK_UP]), ...ITEM];
  if (order === 'newest') {
    return inOrder(SearchModel, { filter, order: ORDERS.newest, after, skip, limit, choose, present });
  }
  const { value, id } = after ?? {};
  return SearchModel.aggregate<ListedItem>([
    { $match: filter },
    ...choose,
    ...ITEM,
    ...(after ? [{ $match: { $or: [{ position: { $gt: value } }, { position: value, _id: { $gt: id } }] } }] : []),
    { $sort: { position: 1, _id: 1 } },
    ...(skip > 0 ? [{ $skip: skip }] : []),
    { $limit: limit },
  ]);
}

/** Counts at most MAX_COUNTED. */
export async function countMatches(scope: Scope, which: Matching): Promise<Total> {
  const [counted] = await SearchModel.aggregate<{ total: number }>([
    { $match: await entriesWith(scope, which) },
    ...except(which),
    ...itemsLike(which),
    { $limit: MAX_COUNTED + 1 },
    { $group: { _id: null, total: { $sum: 1 } } },
  ]);
  const total = counted?.total ?? 0;
  return { total: Math.min(total, MAX_COUNTED), isLowerBound: total > MAX_COUNTED };
}

/** The likely most selective word is found by the index, the others are looked for in what it finds. */
async function entriesWith(scope: Scope, { query, where }: Matching): Promise<Record<string, unknown>> {
  const [first, ...others] = query.prefixes;
  const rest = [
    ...(others.length > 0 ? [{ prefixes: { $all: others } }] : []),
    ...query.parts.map((part) => ({ words: { $regex: part } })),
  ];
  return {
    organizationId: scope.caller.organizationId,
    projectId: where.projectId ?? { $in: await idsOfProjects(scope) },
    prefixes: first,
    ...(rest.length > 0 && { $and: rest }),
  };
}

function except({ exceptId }: Matching): PipelineStage.Match[] {
  return exceptId === undefined ? [] : [{ $match: { _id: { $ne: exceptId } } }];
}

const LOOK_UP: PipelineStage.Lookup = {
  $lookup: { from: ItemModel.collection.name, localField: '_id', foreignField: '_id', as: 'item' },
};

/** In place of the entry. There is none where it was deleted since the entry was read. */
const ITEM: readonly PipelineStage[] = [
  { $unwind: '$item' },
  { $replaceRoot: { newRoot: '$item' } },
  { $project: LISTED },
];

/** What the entries do not know of the items. */
function itemsLike({ where }: Matching): (PipelineStage.Lookup | PipelineStage.Match)[] {
  const { projectId: _, ...place } = where.place;
  const conditions = Object.entries({ ...place, ...where.like }).map(([field, value]) => [`item.${field}`, value]);
  return conditions.length === 0 ? [] : [LOOK_UP, { $match: Object.fromEntries(conditions) }];
}
