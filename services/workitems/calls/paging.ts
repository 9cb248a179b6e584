import { type BoundedPagination, MAX_ROWS_BY_PAGE, pagination } from '@worktrack/contracts/fields';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import type { PageEnd } from '@worktrack/runtime/database/in-order';
import { readCursor, unknownCursor, writeCursor } from '@worktrack/runtime/validation/cursor';
import { z } from 'zod';

/** Where a page begins: after a place, given by the previous page's cursor, or a number of rows from the start. */
export interface Start {
  readonly page: number;
  readonly limit: number;
  readonly skip: number;
  readonly after: PageEnd | undefined;
  /** It is the first page. */
  readonly isFirst: boolean;
}

const MAX_SORT_KEYS = 5;

/** The number of a page, and the place after which it begins. The place is an id, and its value in the order of the list: a position, or the id itself. */
const Continuation = z.tuple([
  z.int().min(1),
  z.uuid().nullable(),
  // Several for a list that is sorted by several keys.
  z.union([z.number(), z.uuid(), z.null(), z.array(z.union([z.number(), z.string().max(100)])).max(MAX_SORT_KEYS)]),
]);

function cursorOf(page: number, after: PageEnd | undefined, list: unknown): string {
  const continuation = [page, after?.id ?? null, after?.value ?? null];
  return writeCursor(continuation, list);
}

interface Asked {
  readonly page: number;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * @param list what identifies the list: a cursor is valid only for the one it was made for
 * @throws VALIDATION_FAILED for a page too deep, or a cursor from another list
 */
export function startOf(
  { page, limit, cursor }: Asked,
  list: unknown,
  { fail }: ReadContext<'VALIDATION_FAILED'>,
): Start {
  if (cursor === undefined) {
    if (page * limit > MAX_ROWS_BY_PAGE) {
      const message = `reaches ${MAX_ROWS_BY_PAGE} rows deep; continue from a page with its nextCursor as cursor`;
      throw refuse(fail, 'page', message);
    }
    return { page, limit, skip: (page - 1) * limit, after: undefined, isFirst: page === 1 };
  }
  if (page !== 1) throw refuse(fail, 'page', 'cannot be combined with cursor');
  const read = readCursor(cursor, list, Continuation);
  if (!read) throw unknownCursor(fail);
  const [next, id, value] = read;
  return { page: next, limit, skip: 0, after: id === null ? undefined : { id, value }, isFirst: false };
}

const refuse = (fail: ReadContext<'VALIDATION_FAILED'>['fail'], path: string, message: string) =>
  fail('VALIDATION_FAILED', `${path} ${message}.`, { details: [{ path, message }] });

/** A page of rows and its context. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly pagination: z.infer<typeof BoundedPagination>;
  readonly nextCursor: string | null;
}

export interface Total {
  readonly total: number;
  /** There are more. */
  readonly isLowerBound: boolean;
}

/**
 * @param rows one more than fits on the page means that there is another page
 * @param placeOf where a page that ends with this row ends; undefined: before everything that has a place
 * @param count called if the rows themselves do not tell
 */
export async function pageOf<Row>(
  rows: readonly Row[],
  start: Start,
  list: unknown,
  placeOf: (row: Row) => PageEnd | undefined,
  count: () => Promise<Total>,
): Promise<Page<Row>> {
  const { page, limit, skip, isFirst } = start;
  const hasMore = rows.length > limit;
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const isKnown = !hasMore && !start.after && (isFirst || (skip > 0 && shown.length > 0));
  const { total, isLowerBound } = isKnown ? { total: skip + shown.length, isLowerBound: false } : await count();
  return {
    rows: shown,
    pagination: { ...pagination(page, limit, total), ...(isLowerBound && { totalIsLowerBound: true as const }) },
    nextCursor: hasMore && last ? cursorOf(page + 1, placeOf(last), list) : null,
  };
}
