import type { OperationError } from '@worktrack/contracts/errors';
import { ItemRef, MAX_COUNTED } from '@worktrack/contracts/fields';
import type { FailureOf, Input } from '@worktrack/contracts/operation';
import type { listWorkItems as operation } from '@worktrack/contracts/work-items/lists/list';
import { type SortBy, sortFrom } from '@worktrack/contracts/work-items/lists/list-filters';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import type { PageEnd } from '@worktrack/runtime/database/in-order';
import { type SearchQuery, searchQuery, wordsOf } from '@worktrack/runtime/text/words';
import { unknownCursor } from '@worktrack/runtime/validation/cursor';
import { type Page, pageOf, type Start, startOf, type Total } from '../calls/paging.ts';
import type { Scope } from '../calls/scope.ts';
import { presentedSummaries } from '../items/shown/present.ts';
import type { ListedItem } from '../items/shown/views.ts';
import { requireProjectOf } from './filter.ts';
import { type Grouped, whereOfGroup } from './groups/group-of.ts';
import { type ItemOrder, listedItem, pageOfItems, placeIn } from './listed-items.repository.ts';
import {
  countMatches,
  isThere,
  type Match,
  type Matching,
  matchesInOrder,
  sortedMatches,
} from './matches.repository.ts';
import { partOf, placeInSort } from './sorted/sort.ts';
import { sortedItems, walkSorted } from './sorted/sorted.repository.ts';
import { totalOf } from './totals.repository.ts';
import { holds, type Where } from './where.ts';

type Context = ReadContext<FailureOf<typeof operation>>;

export const listWorkItems: Read<typeof operation> = async (input, context) => {
  const { rows, ...page } = await pageOfList(input, context);
  return { workItems: await presentedSummaries(context, rows), ...page };
};

export type Given = Input<typeof operation> & Grouped;

/** What is known of a column before it is read. */
export interface Known {
  readonly where: Where;
  /** What the first page shows, and one row more, if there is one. */
  readonly rows?: readonly Match[] | undefined;
  readonly total?: number | undefined;
}

/** @param known of a list that names one column, and begins with its first card */
export async function pageOfList(
  { page, limit, cursor, search = '', sort, ...given }: Given,
  context: Context,
  known?: Known,
): Promise<Page<ListedItem>> {
  const { organizationId, sessionProjectId } = context.caller;
  const text = search.trim();
  const order = orderOf(sort, given);
  const projectId = given.projectId ?? sessionProjectId;
  const list = [
    organizationId,
    Object.entries({ ...given, ...(sort && { sort }), ...(projectId && { projectId }) }).sort(),
    text,
  ];
  const start = startOf({ page, limit, cursor }, list, context);
  const where = known?.where ?? (await whereOfGroup(context, given, sessionProjectId));
  const { rows, namedId, placeOf, count } = await read(context, where, text, order, start, known);
  if (rows.length === 0 && where.place.projectId !== undefined) await requireProjectOf(context, given);
  const shown = await pageOf(rows, start, list, (item) => (item._id === namedId ? undefined : placeOf(item)), count);
  return { ...shown, rows: shown.rows.filter(isThere) };
}

/** A list that names one column is in the column's order, any other begins with the newest, unless it asks for something else. */
function orderOf(sort: string | undefined, { boardColumnId, groupBy, group }: Grouped): ItemOrder | readonly SortBy[] {
  const by = sort === undefined ? undefined : sortFrom(sort);
  const isOneColumn = boardColumnId?.length === 1 || (groupBy === 'column' && group !== undefined);
  if (!by) return isOneColumn ? 'column' : 'newest';
  return by.length === 1 && by[0]?.key === 'createdAt' && by[0].isReversed ? 'newest' : by;
}

function read(
  context: Context,
  where: Where,
  text: string,
  order: ItemOrder | readonly SortBy[],
  start: Start,
  known: Known | undefined,
) {
  if (typeof order === 'string') {
    if (Array.isArray(start.after?.value)) throw unknownCursor(context.fail);
    return text ? matching(context, where, text, order, start) : listed(context, where, order, start, known);
  }
  return sorted(context, where, text, order, start);
}

/** One row more than the page has, if there is one. */
interface Found {
  readonly rows: readonly Match[];
  /** It comes before all others, out of order. */
  readonly namedId?: string | undefined;
  /** Where a page ends that ends with this row. */
  readonly placeOf: (row: Match) => PageEnd;
  readonly count: () => Promise<Total>;
}

async function listed(
  context: Scope,
  where: Where,
  order: ItemOrder,
  start: Start,
  known: Known | undefined,
): Promise<Found> {
  const { total, rows = await pageOfItems(context, where, order, start) } = known ?? {};
  const count = async () => (total === undefined ? totalOf(context, where) : { total, isLowerBound: false });
  return { rows, placeOf: (row) => placeIn(order, row), count };
}

/** The item that the text names, then those that contain all its words. */
async function matching(context: Scope, where: Where, text: string, order: ItemOrder, start: Start): Promise<Found> {
  const placeOf = (row: Match) => placeIn(order, row);
  const query = queryOf(text);
  if (!query) return { rows: [], placeOf, count: async () => NONE };
  const { named, count, part, which } = await matchesOf(context, where, text, query, start);
  const rows = await matchesInOrder(context, which, order, { ...part, after: start.after, limit: part.limit + 1 });
  return { rows: [...named, ...rows], namedId: which.exceptId, placeOf, count };
}

/** Up to MAX_COUNTED are sorted; more than that are walked in the order of an index, if there is one in this order. */
async function sorted(
  context: Context,
  where: Where,
  text: string,
  by: readonly SortBy[],
  start: Start,
): Promise<Found> {
  const placeOf = (row: Match) => placeInSort(by, row as ListedItem);
  const part = partOf(by, start);
  if (!part) throw unknownCursor(context.fail);
  const query = text ? queryOf(text) : undefined;
  if (text && !query) return { rows: [], placeOf, count: async () => NONE };
  if (!query) {
    const total = await totalOf(context, where);
    const count = async () => total;
    if (total.total <= MAX_COUNTED && !total.isLowerBound) {
      return { rows: await sortedItems(context, where, by, part), placeOf, count };
    }
    const rows = await walkSorted(context, where, by, part);
    if (!rows) throw tooManyToSort(context);
    return { rows, placeOf, count };
  }
  const found = await matchesOf(context, where, text, query, start);
  const total = await found.count();
  if (total.isLowerBound) throw tooManyToSort(context);
  const rows = await sortedMatches(context, found.which, by, { ...part, ...found.part });
  return { rows: [...found.named, ...rows], namedId: found.which.exceptId, placeOf, count: async () => total };
}

const NONE: Total = { total: 0, isLowerBound: false };

/** @returns undefined if there are no words in it, which finds nothing */
export function queryOf(text: string): SearchQuery | undefined {
  const query = searchQuery(wordsOf(text));
  return query.prefixes.length === 0 ? undefined : query;
}

/** What a text finds: the item that it names before everything, on the first page, and the matches after it. */
export async function matchesOf(context: Scope, where: Where, text: string, query: SearchQuery, start: Start) {
  const ref = ItemRef.safeParse(text);
  const item = ref.success ? await listedItem(context, ref.data) : null;
  const namedItem = item && holds(where, item) ? item : undefined;
  const which: Matching = { query, where, exceptId: namedItem?._id };
  const named = namedItem && start.isFirst ? [namedItem] : [];
  const before = namedItem ? 1 : 0;
  const count = async () => {
    const { total, isLowerBound } = await countMatches(context, which);
    return { total: total + before, isLowerBound };
  };
  return { named, which, count, part: { skip: Math.max(0, start.skip - before), limit: start.limit - named.length } };
}

function tooManyToSort({ fail }: Context): OperationError {
  const message = `can order at most ${MAX_COUNTED} items by this; narrow the list, for example by type or boardColumnId, or sort by priority or -updatedAt alone`;
  return fail('VALIDATION_FAILED', `sort ${message}.`, { details: [{ path: 'sort', message }] });
}
