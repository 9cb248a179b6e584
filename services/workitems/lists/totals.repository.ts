import { countInOrder } from '@worktrack/runtime/database/in-order';
import { boardWithColumn } from '../boards/boards.repository.ts';
import { countOfProjects, countsOf } from '../boards/tallies.repository.ts';
import type { Total } from '../calls/paging.ts';
import type { Scope } from '../calls/scope.ts';
import { ItemModel } from '../items/items.model.ts';
import { idsOfProjects } from '../projects/projects.repository.ts';
import { countedOnce } from './counted.ts';
import { ORDERS } from './listed-items.repository.ts';
import { conditionsOf, idsSince, type Where } from './where.ts';

/** As many as a caller may be limited to. Of more there are so many tallies that counting MAX_COUNTED items is cheaper. */
const MAX_PROJECTS_SUMMED = 100;

/**
 * How many items there are. Exact for whole projects, a board or a column, or all children of a parent; with further
 * filters, or over very many projects, at most MAX_COUNTED are counted.
 */
export async function totalOf(scope: Scope, where: Where): Promise<Total> {
  const { place, like, also, due, since } = where;
  const isNarrowed = also.length > 0 || !!due;
  const fields = Object.keys({ ...place, ...like, ...since });
  const isByProject = !isNarrowed && Object.keys(place).length === 0 && fields.every((field) => field === 'projectId');
  if (isByProject) {
    const projectIds = like.projectId ?? (await idsOfProjects(scope, MAX_PROJECTS_SUMMED + 1));
    if (projectIds.length <= MAX_PROJECTS_SUMMED) {
      return { total: await countOfProjects(scope, projectIds), isLowerBound: false };
    }
  }
  const isWhole = Object.keys(place).length === 1 && Object.keys({ ...like, ...since }).length === 0 && !isNarrowed;
  if (isWhole) return { total: await countWhole(scope, place), isLowerBound: false };
  const list = {
    filter: { organizationId: scope.caller.organizationId, ...conditionsOf(where) },
    ...(place.boardColumnId ? { order: ORDERS.column } : { order: ORDERS.newest, range: idsSince(where) }),
  };
  return countedOnce(list, (limit) => countInOrder(ItemModel, { ...list, limit }));
}

/** What every write keeps up to date. */
async function countWhole(
  scope: Scope,
  { projectId, boardId, boardColumnId, parentId }: Where['place'],
): Promise<number> {
  const { organizationId } = scope.caller;
  if (projectId) return sum((await countsOf(scope, { projectId })).values());
  if (boardId) return sum((await countsOf(scope, { boardId })).values());
  if (boardColumnId) {
    const board = await boardWithColumn(scope, boardColumnId);
    return (board && (await countsOf(scope, { boardId: board._id })).get(boardColumnId)) ?? 0;
  }
  const parent = await ItemModel.findOne({ organizationId, _id: parentId }, { childCount: 1 }).lean();
  return parent?.childCount ?? 0;
}

const sum = (counts: Iterable<number>) => [...counts].reduce((total, count) => total + count, 0);
