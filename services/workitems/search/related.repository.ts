import { searchQuery, wordsOf } from '@worktrack/runtime/text/words';
import type { Scope } from '../calls/scope.ts';
import { withinProject } from '../calls/within.repository.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { idsOfProjects } from '../projects/projects.repository.ts';
import { SearchModel } from './search.model.ts';

/**
 * The items, without metadata, that contain the most keywords, best first and newer before older. A keyword is looked up by the indexed prefixes of
 * its words, so a long one may match another word with the same beginning: the ranking has to check again.
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
    {
      $match: {
        organizationId: caller.organizationId,
        ...(projectId === undefined
          ? { projectId: { $in: await idsOfProjects({ caller }) } }
          : withinProject(caller, projectId)),
        prefixes: { $in: [...new Set(wanted.flat())] },
      },
    },
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
    { $lookup: { from: ItemModel.collection.name, localField: '_id', foreignField: '_id', as: 'items' } },
    { $project: { 'items.metadata': 0 } },
  ]);
  return found.flatMap(({ items }) => items);
}
