import { narrowed } from '../narrowed.ts';
import type { Scope } from '../scope.ts';
import { SearchModel } from './search.model.ts';
import { searchQuery, wordsOf } from './words.ts';

/**
 * Ids of the items that have most of the keywords, those with more first and newer before older. A keyword is looked up by the indexed prefixes of
 * its words, so a long one may be found where another word starts alike: whoever ranks the items has to look again.
 */
export async function idsWithKeywords(
  { caller }: Scope,
  keywords: readonly string[],
  projectId: string | undefined,
  limit: number,
): Promise<string[]> {
  const wanted = keywords.map((keyword) => searchQuery(wordsOf(keyword)).prefixes).filter(({ length }) => length > 0);
  if (wanted.length === 0) return [];
  const found = await SearchModel.aggregate<{ _id: string }>([
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
  ]);
  return found.map(({ _id }) => _id);
}
