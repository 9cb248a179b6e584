import { isUuid, pagination } from '@worktrack/contracts/fields';
import type { FailureOf, Output } from '@worktrack/contracts/operation';
import type { Board } from '@worktrack/contracts/projects/board';
import type {
  Card,
  listCards as operation,
  listProjectCards as projectOperation,
} from '@worktrack/contracts/work-items/lists/cards';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { requireBoard } from '../boards/boards.repository.ts';
import { countsOf } from '../boards/tallies.repository.ts';
import type { Scope } from '../calls/scope.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { findOutlines } from '../items/items.repository.ts';
import { presentedSummaries } from '../items/shown/present.ts';
import type { ListedItem } from '../items/shown/views.ts';
import { requireProject } from '../projects/projects.repository.ts';
import { formatDollars } from '../sessions/price.ts';
import { costsOf } from '../sessions/sessions.repository.ts';
import { epicsAbove } from './epics.ts';
import { whereOf } from './filter.ts';
import { type Given, type Known, pageOfList } from './list.ts';
import { listedFew, listedItems, type PlacedItem, placesOf } from './listed-items.repository.ts';
import { holds, type Where } from './where.ts';

type Context = ReadContext<FailureOf<typeof operation>>;
type Cards = Output<typeof operation>;

export const listCards: Read<typeof operation> = async ({ id, ids, boardColumnId, ...given }, context) => {
  const { _id: boardId, projectId } = await requireBoard(context, id);
  const columns = boardColumnId === undefined ? undefined : [boardColumnId];
  return cardsLike(context, { ...given, page: 1, boardColumnId: columns, boardId, projectId }, ids);
};

export const listProjectCards: Read<typeof projectOperation> = async ({ id, ids, ...given }, context) => {
  const { _id: projectId } = await requireProject(context, id);
  return cardsLike(context, { ...given, projectId }, ids);
};

type ColumnCards = Cards & { readonly boardColumnId: string };

/** More are walked column by column, each until it fills its page. */
const MAX_FEW = 2_000;

/** What each column of a board begins with, as `listCards` lists it. What is the same for all columns, and what cards show of other items, is read once. */
export async function listColumns(
  { id: boardId, projectId, columns }: Board,
  given: Omit<Given, 'page'>,
  context: Context,
): Promise<ColumnCards[]> {
  const whole = { ...given, page: 1, boardId, projectId };
  const where = await whereOf(context, whole, undefined);
  const known = given.search ? undefined : await knownOf(context, where, { boardId, projectId }, given.limit);
  const pages = await Promise.all(
    columns.map(({ id: boardColumnId }) =>
      pageOfList({ ...whole, boardColumnId: [boardColumnId] }, context, {
        where: { ...where, place: { boardColumnId } },
        ...known?.(boardColumnId),
      }),
    ),
  );
  const cards = await cardsOf(
    context,
    pages.flatMap(({ rows }) => rows),
  );
  return columns.map(({ id: boardColumnId }, at) => {
    const { rows, ...page } = pages[at] as (typeof pages)[number];
    return { boardColumnId, cards: cards.splice(0, rows.length), ...page };
  });
}

type KnownOfColumn = (columnId: string) => Omit<Known, 'where'>;

/** Facts about all columns from a query or two, in place of a query for each column. */
async function knownOf(
  scope: Scope,
  where: Where,
  { boardId, projectId }: Pick<ItemRecord, 'boardId' | 'projectId'>,
  limit: number,
): Promise<KnownOfColumn | undefined> {
  const { like, also, due, since } = where;
  const isWhole = !due && also.length === 0 && Object.keys({ ...like, ...since }).length === 0;
  // Indexes by what filters name begin with the project.
  if (!isWhole) return fewOf(scope, { ...where, place: { ...where.place, projectId } }, limit);
  const counts = await countsOf(scope, { boardId });
  // All of it is shown.
  const isShort = [...counts.values()].every((count) => count <= limit);
  const items = isShort ? await listedFew(scope, { ...where, place: { boardId } }, counts.size * limit) : undefined;
  if (items) {
    const columns = inColumns(items);
    return (columnId) => ({ rows: columns.get(columnId) ?? [] });
  }
  return (columnId) => {
    const count = counts.get(columnId) ?? 0;
    return { total: count, ...(count === 0 && { rows: [] }) };
  };
}

/**
 * The items of a board that filters leave, by column; undefined if they are many. An index finds one person's or one epic's few among thousands. Column by
 * column, a board in lanes would walk all its cards for each lane.
 */
async function fewOf(scope: Scope, where: Where, limit: number): Promise<KnownOfColumn | undefined> {
  const places = await placesOf(scope, where, MAX_FEW);
  if (!places) return undefined;
  const columns = inColumns(places);
  const first = (all: readonly PlacedItem[]) => all.slice(0, limit + 1);
  const shown = await listedItems(
    scope,
    [...columns.values()].flatMap(first).map(({ _id }) => _id),
  );
  const items = new Map(shown.map((item) => [item._id, item]));
  return (columnId) => {
    const all = columns.get(columnId) ?? [];
    const rows = first(all).map((place) => {
      const item = items.get(place._id);
      // It may have been deleted, or moved, since.
      return item?.boardColumnId === columnId ? item : place;
    });
    return { rows, total: all.length };
  };
}

function inColumns<Item extends PlacedItem>(items: readonly Item[]): Map<string, Item[]> {
  const inOrder = items.toSorted((a, b) => a.position - b.position || (a._id < b._id ? -1 : 1));
  return Map.groupBy(inOrder, ({ boardColumnId }) => boardColumnId);
}

/** @param ids undefined: all that match */
async function cardsLike(context: Context, given: Given, ids: readonly string[] | undefined): Promise<Cards> {
  if (!ids) {
    const { rows, ...page } = await pageOfList(given, context);
    return { cards: await cardsOf(context, rows), ...page };
  }
  for (const path of ['search', 'cursor'] as const) {
    if (given[path] === undefined) continue;
    const message = 'cannot be combined with ids';
    throw context.fail('VALIDATION_FAILED', `${path} ${message}.`, { details: [{ path, message }] });
  }
  const where = await whereOf(context, given, undefined);
  const rows = (await listedItems(context, ids)).filter(
    (item) => (given.boardId === undefined || item.boardId === given.boardId) && holds(where, item),
  );
  return {
    cards: await cardsOf(context, rows),
    pagination: pagination(1, ids.length, rows.length),
    nextCursor: null,
  };
}

async function cardsOf(context: Scope, rows: readonly ListedItem[]): Promise<Card[]> {
  const ids = rows.map(({ _id }) => _id);
  const dependencies = new Set(rows.flatMap(({ waitsFor }) => waitsFor).filter(isUuid));
  const [summaries, costs, blocking, epics] = await Promise.all([
    presentedSummaries(context, rows),
    costsOf(context.caller.organizationId, ids),
    findOutlines(context, [...dependencies]),
    epicsAbove(context, rows),
  ]);
  const taskIds = new Map(blocking.map(({ _id, taskId }) => [_id, taskId]));
  return rows.map(({ _id, version, position, waitsFor, createdAt, updatedAt }, at) => ({
    ...(summaries[at] as (typeof summaries)[number]),
    ...{ version, position, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
    blockedBy: waitsFor.map((reference) => taskIds.get(reference) ?? reference),
    estimatedCost: formatDollars(costs.get(_id) ?? 0),
    epic: epics.get(_id) ?? null,
  }));
}
