import type { SortBy } from '@worktrack/contracts/work-items/lists/list-filters';
import { countInOrder, inOrder, type OrderedRead } from '@worktrack/runtime/database/in-order';
import type { SearchQuery } from '@worktrack/runtime/text/words';
import type { PipelineStage } from 'mongoose';
import type { Total } from '../calls/paging.ts';
import type { Scope } from '../calls/scope.ts';
import { ItemModel } from '../items/items.model.ts';
import { LISTED, type ListedItem } from '../items/shown/views.ts';
import { idsOfProjects } from '../projects/projects.repository.ts';
import { SearchModel } from '../search/search.model.ts';
import { countedOnce } from './counted.ts';
import { type ItemOrder, ORDERS } from './listed-items.repository.ts';
import { type Part, sortStages } from './sorted/sort.ts';
import { conditionsOf, type Where } from './where.ts';

/** Which items match. */
export interface Matching {
  readonly query: SearchQuery;
  readonly where: Where;
  /** Id of an item to leave out. */
  readonly exceptId: string | undefined;
}

/** A match whose item was deleted since its entry was read is its id alone: the page goes on after it, and does not show it. */
export type Match = ListedItem | Pick<ListedItem, '_id' | 'position'>;
export const isThere = (match: Match): match is ListedItem => 'taskId' in match;

type Page = Pick<OrderedRead, 'after' | 'limit'> & { readonly skip: number };

/**
 * The items that contain all words of a query. For newest first, the entries' index provides the order, and the other conditions are checked on the items one
 * by one, until there are enough. Entries do not store column order, since every move would have to rewrite it. A few matches are sorted. If the words are
 * common, the column is walked in its order, which soon finds enough of them.
 */
export async function matchesInOrder(
  scope: Scope,
  which: Matching,
  order: ItemOrder,
  { after, skip, limit }: Page,
  maxSorted = MAX_SORTED,
): Promise<Match[]> {
  const filter = await entriesWith(scope, which);
  const choose = [...except(which), ...itemsLike(which)];
  if (order === 'newest') {
    const present: PipelineStage[] = [...(choose.some((stage) => '$lookup' in stage) ? [] : [LOOK_UP]), ...MATCH];
    return inOrder(SearchModel, { filter, order: ORDERS.newest, after, skip, limit, choose, present });
  }
  if ((await countEntries(filter, [], maxSorted + 1)) > maxSorted) {
    return inOrder(ItemModel, {
      filter: { organizationId: scope.caller.organizationId, ...conditionsOf(which.where) },
      order: ORDERS.column,
      after,
      skip,
      limit,
      choose: [...except(which), ...entriesLike(which)],
      present: [{ $project: LISTED }],
    });
  }
  const { value, id } = after ?? {};
  return SearchModel.aggregate<ListedItem>([
    { $match: filter },
    ...choose,
    ...ITEM,
    { $project: LISTED },
    ...(after ? [{ $match: { $or: [{ position: { $gt: value } }, { position: value, _id: { $gt: id } }] } }] : []),
    { $sort: { position: 1, _id: 1 } },
    ...(skip > 0 ? [{ $skip: skip }] : []),
    { $limit: limit },
  ]);
}

/** Sorts all that match: for a query of which no more than MAX_COUNTED do. */
export async function sortedMatches(
  scope: Scope,
  which: Matching,
  by: readonly SortBy[],
  part: Part,
): Promise<Match[]> {
  return SearchModel.aggregate<ListedItem>([
    ...(await matchStages(scope, which)),
    ...sortStages(by, { ...part, limit: part.limit + 1 }),
  ]);
}

/** On the entries: all that match, as whole items, in no particular order. */
export async function matchStages(scope: Scope, which: Matching): Promise<PipelineStage[]> {
  return [
    { $match: await entriesWith(scope, which) },
    ...except(which),
    ...itemsLike(which),
    ...(itemsLike(which).length === 0 ? [LOOK_UP] : []),
    ...ITEM,
  ];
}

/**
 * In a project of a million items with this many matches, a walk through a column examines about as many items to find 50. Fewer matches are all sorted, which
 * bounds both.
 */
const MAX_SORTED = 5_000;

/** Counts at most MAX_COUNTED. */
export async function countMatches(scope: Scope, which: Matching): Promise<Total> {
  const choose = [...except(which), ...itemsLike(which)];
  const filter = await entriesWith(scope, which);
  return countedOnce({ filter, choose }, (limit) => countEntries(filter, choose, limit));
}

/** Checks that the entry of an item found by other means has all words. */
function entriesLike({ query: { prefixes, parts } }: Matching): PipelineStage[] {
  const words = parts.map((part) => ({ 'entry.words': { $regex: part } }));
  return [
    { $lookup: { from: SearchModel.collection.name, localField: '_id', foreignField: '_id', as: 'entry' } },
    { $unwind: '$entry' },
    { $match: { 'entry.prefixes': { $all: prefixes }, ...(words.length > 0 && { $and: words }) } },
  ];
}

function countEntries(filter: OrderedRead['filter'], choose: readonly PipelineStage[], limit: number): Promise<number> {
  return countInOrder(SearchModel, { filter, order: ORDERS.newest, choose, limit });
}

/** The index finds the probably most selective word, and the others are checked on those results. */
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

/** Replaces the entry by its item; an entry whose item is gone is left out. */
const ITEM: readonly PipelineStage[] = [{ $unwind: '$item' }, { $replaceRoot: { newRoot: '$item' } }];

/** Replaces the entry by its match. */
const MATCH: readonly PipelineStage[] = [
  { $replaceRoot: { newRoot: { $mergeObjects: [{ _id: '$_id' }, { $first: '$item' }] } } },
  { $project: LISTED },
];

/** Conditions on the items that the entries do not cover. */
function itemsLike({ where }: Matching): (PipelineStage.Lookup | PipelineStage.Match)[] {
  const { projectId: _, ...wanted } = conditionsOf(where);
  return Object.keys(wanted).length === 0 ? [] : [LOOK_UP, { $match: ofItem(wanted) }];
}

/** The same conditions on the item that was looked up, also within `$or` and the like. */
function ofItem(conditions: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(conditions).map(([field, value]) =>
    field.startsWith('$') ? [field, (value as Record<string, unknown>[]).map(ofItem)] : [`item.${field}`, value],
  );
  return Object.fromEntries(entries);
}
