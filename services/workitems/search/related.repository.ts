import { searchQuery, wordsOf } from '@worktrack/runtime/text/words';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { narrowed } from '../narrowed.ts';
import type { Scope } from '../scope.ts';
import { SearchModel } from './search.model.ts';

/**
 * The items, without metadata, that have most of the keywords, those with more first and newer before older. A keyword is looked up by the indexed prefixes of
 * its words, so a long one may be found where another word starts alike: whoever ranks the items has to look again.
 */
export async function itemsWithKeywords(
  { caller }: Scope,
  keywords: readonly string[],
  projectId: string | undefined,
  limit: number,
): Promise<Omit<ItemRecord, 'metadata'>[]> {
  const wanted = keywords.map((keyword) => searchQuery(wordsOf(keyword)).prefixes).filter(({ length }) => length > 0);
  if (wanted.length === 0) return [];
  const found = await SearchModel.aggregate<{ items: Omit<ItemRecord, 'metadata'>[] }>([
    ...narrowed(
      { organizationId: caller.organizationId, prefixes: { $in: [...new Set(wanted.flat())] } },
      { projectId },
    ),
    {
      $project: {
        hits: {
          $add: wanted.map((prefixes) => ({ $cond: [{ $setIsSubset: [prefixes, '$prefixes'] }, 1, 0] })),
        },
      },
    },
    { $match: { hits: { $gt: 0 } } },
    { $sort: { hits: -1, _id: -1 } },
    { $limit: limit },
    // By its key, which is the same: also one of our databases has an index for that.
    { $lookup: { from: ItemModel.collection.name, localField: '_id', foreignField: '_id', as: 'items' } },
    { $project: { 'items.metadata': 0 } },
  ]);
  return found.flatMap(({ items }) => items);
}
