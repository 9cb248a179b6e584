import { ItemRef } from '@worktrack/contracts/fields';
import type { FailureOf, Input, Output } from '@worktrack/contracts/operation';
import type { listWorkItems as operation } from '@worktrack/contracts/work-items/list';
import type { ReadContext } from '@worktrack/runtime/database/contexts';
import { searchQuery, wordsOf } from '@worktrack/runtime/text/words';
import { type Page, pageOf, type Start, startOf, type Total } from '../calls/paging.ts';
import type { Scope } from '../calls/scope.ts';
import { presentedSummaries } from '../items/present.ts';
import type { ListedItem } from '../items/views.ts';
import { requireProjectOf, whereOf } from './filter.ts';
import { type ItemOrder, listedItem, pageOfItems, placeIn } from './listed-items.repository.ts';
import { countMatches, isThere, type Match, matchesInOrder } from './matches.repository.ts';
import { totalOf } from './totals.repository.ts';
import { holds, type Where } from './where.ts';

type Context = ReadContext<FailureOf<typeof operation>>;

export async function listWorkItems(
  input: Input<typeof operation>,
  context: Context,
): Promise<Output<typeof operation>> {
  const { rows, ...page } = await pageOfList(input, context);
  return { workItems: await presentedSummaries(context, rows), ...page };
}

export async function pageOfList(
  { page, limit, cursor, search = '', ...given }: Input<typeof operation>,
  context: Context,
): Promise<Page<ListedItem>> {
  const { organizationId, sessionProjectId } = context.caller;
  const text = search.trim();
  const order: ItemOrder = given.boardColumnId ? 'column' : 'newest';
  const projectId = given.projectId ?? sessionProjectId;
  const list = [organizationId, Object.entries({ ...given, ...(projectId && { projectId }) }).sort(), text];
  const start = startOf({ page, limit, cursor }, list, context);
  const where = await whereOf(context, given, sessionProjectId);
  const found = await (text ? matching(context, where, text, order, start) : listed(context, where, order, start));
  if (found.rows.length === 0 && where.place.projectId !== undefined) await requireProjectOf(context, given);
  const { rows, ...shown } = await pageOf(
    found.rows,
    start,
    list,
    (item) => (item._id === found.namedId ? undefined : placeIn(order, item)),
    found.count,
  );
  return { ...shown, rows: rows.filter(isThere) };
}

/** One row more than the page has, if there is one. */
interface Found {
  readonly rows: readonly Match[];
  /** It comes before all others, out of order. */
  readonly namedId?: string | undefined;
  readonly count: () => Promise<Total>;
}

const nothing: Found = { rows: [], count: async () => ({ total: 0, isLowerBound: false }) };

async function listed(context: Scope, where: Where, order: ItemOrder, start: Start): Promise<Found> {
  return { rows: await pageOfItems(context, where, order, start), count: () => totalOf(context, where) };
}

/** The item that the text names, then those that contain all its words. */
async function matching(context: Scope, where: Where, text: string, order: ItemOrder, start: Start): Promise<Found> {
  const query = searchQuery(wordsOf(text));
  if (query.prefixes.length === 0) return nothing;
  const ref = ItemRef.safeParse(text);
  const item = ref.success ? await listedItem(context, ref.data) : null;
  const named = item && holds(where, item) ? [item] : [];
  const namedId = named[0]?._id;
  const which = { query, where, exceptId: namedId };
  const isBefore = named.length > 0 && start.isFirst;
  const matches = await matchesInOrder(context, which, order, {
    after: start.after,
    skip: Math.max(0, start.skip - named.length),
    limit: start.limit + (isBefore ? 0 : 1),
  });
  const count = async () => {
    const { total, isLowerBound } = await countMatches(context, which);
    return { total: total + named.length, isLowerBound };
  };
  return { rows: isBefore ? [...named, ...matches] : matches, namedId, count };
}
