import type { SortBy } from '@worktrack/contracts/work-items/lists/list-filters';
import { inOrder } from '@worktrack/runtime/database/in-order';
import type { Scope } from '../../calls/scope.ts';
import { ItemModel } from '../../items/items.model.ts';
import { LISTED, type ListedItem } from '../../items/shown/views.ts';
import { idsOfProjects } from '../../projects/projects.repository.ts';
import { ORDERS } from '../listed-items.repository.ts';
import { conditionsOf, idsSince, type Where } from '../where.ts';
import { BEST_FIRST, type Part, sortStages } from './sort.ts';

/** One item more than the page has, if there is one. Reads all that match: for lists whose length is known to be bounded. */
export function sortedItems(
  { caller: { organizationId } }: Scope,
  where: Where,
  by: readonly SortBy[],
  { skip, after, limit }: Part,
): Promise<ListedItem[]> {
  return ItemModel.aggregate<ListedItem>([
    { $match: { organizationId, ...conditionsOf(where) } },
    ...sortStages(by, { after, skip, limit: limit + 1 }),
  ]);
}

/**
 * The same, however many match, by walking an index in the order of the sort until the page is full.
 * @returns undefined if there is no index in this order
 */
export function walkSorted(
  scope: Scope,
  where: Where,
  by: readonly SortBy[],
  part: Part,
): Promise<ListedItem[]> | undefined {
  const [first, second, ...others] = by;
  if (!first || others.length > 0) return undefined;
  if (first.key === 'updatedAt' && first.isReversed && !second) return latestChanged(scope, where, part);
  const isNewestNext = !second || (second.key === 'createdAt' && second.isReversed);
  return first.key === 'priority' && isNewestNext ? byPriority(scope, where, first.isReversed, part) : undefined;
}

async function latestChanged(scope: Scope, where: Where, { skip, after, limit }: Part): Promise<ListedItem[]> {
  const [at] = after?.keys ?? [];
  return inOrder<ListedItem>(ItemModel, {
    filter: {
      organizationId: scope.caller.organizationId,
      // The index begins with it, and a board or a column implies it.
      projectId: where.projectId ?? { $in: await idsOfProjects(scope) },
      ...conditionsOf(where),
    },
    order: { field: 'updatedAt', direction: -1 },
    after: after && at !== undefined ? { id: after.id, value: new Date(at) } : undefined,
    skip,
    limit: limit + 1,
    present: [{ $project: LISTED }],
  });
}

/** One priority after the other, each newest first. */
async function byPriority(
  scope: Scope,
  where: Where,
  isReversed: boolean,
  { skip, after, limit }: Part,
): Promise<ListedItem[]> {
  const best = isReversed ? BEST_FIRST.toReversed() : BEST_FIRST;
  const begun = after && BEST_FIRST[Number(after.keys[0])];
  const wanted = best.slice(begun === undefined ? 0 : best.indexOf(begun));
  const rows: ListedItem[] = [];
  const enough = skip + limit + 1;
  for (const priority of wanted) {
    if (where.like.priority && !where.like.priority.includes(priority)) continue;
    const isBegun = priority === begun;
    const found = await inOrder<ListedItem>(ItemModel, {
      filter: { organizationId: scope.caller.organizationId, ...conditionsOf(where), priority },
      order: ORDERS.newest,
      range: idsSince(where),
      after: isBegun && after ? { id: after.id, value: after.id } : undefined,
      limit: enough - rows.length,
      present: [{ $project: LISTED }],
    });
    rows.push(...found);
    if (rows.length >= enough) break;
  }
  return rows.slice(skip);
}
