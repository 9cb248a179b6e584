import { createHash } from 'node:crypto';
import { type BoundedPagination, MAX_ROWS_BY_PAGE, pagination } from '@worktrack/contracts/fields';
import type { ReadContext } from '@worktrack/runtime/database/contexts';
import type { Place } from '@worktrack/runtime/database/in-order';
import type { z } from 'zod';

/** Where a page begins: after a place, given by the previous page's cursor, or a number of rows from the start. */
export interface Start {
  readonly page: number;
  readonly limit: number;
  readonly skip: number;
  readonly after: Place | undefined;
  /** It is the first page. */
  readonly isFirst: boolean;
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
  const refuse = (path: string, message: string) =>
    fail('VALIDATION_FAILED', `${path} ${message}.`, { details: [{ path, message }] });
  if (cursor === undefined) {
    if (page * limit > MAX_ROWS_BY_PAGE) {
      const message = `reaches ${MAX_ROWS_BY_PAGE} rows deep; continue from a page with its nextCursor as cursor`;
      throw refuse('page', message);
    }
    return { page, limit, skip: (page - 1) * limit, after: undefined, isFirst: page === 1 };
  }
  if (page !== 1) throw refuse('page', 'cannot be combined with cursor');
  const read = readCursor(cursor, list);
  if (!read) {
    throw refuse('cursor', 'must be the nextCursor of an earlier page of this list, with the same filters');
  }
  return { ...read, limit, skip: 0, isFirst: false };
}

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
  placeOf: (row: Row) => Place | undefined,
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
    nextCursor: hasMore && last ? writeCursor({ page: page + 1, after: placeOf(last) }, list) : null,
  };
}

const CHECK_BYTES = 9;

/**
 * A page number, a place, and a checksum over both and the list. Without a key: a forged cursor leads only to a page of what its author may
 * read anyway. It detects cursors that belong to another list, or were truncated or mistyped.
 */
function writeCursor({ page, after }: Pick<Start, 'page' | 'after'>, list: unknown): string {
  const payload = JSON.stringify([page, after?.id ?? null, after?.value ?? null]);
  return Buffer.concat([checkOf(payload, list), Buffer.from(payload)]).toString('base64url');
}

function readCursor(cursor: string, list: unknown): Pick<Start, 'page' | 'after'> | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(CHECK_BYTES).toString();
  if (bytes.toString('base64url') !== cursor || !bytes.subarray(0, CHECK_BYTES).equals(checkOf(payload, list))) {
    return undefined;
  }
  const [page, id, value] = JSON.parse(payload) as [number, string | null, unknown];
  return { page, after: id === null ? undefined : { id, value } };
}

const checkOf = (payload: string, list: unknown) =>
  createHash('sha256')
    .update(JSON.stringify([payload, list]))
    .digest()
    .subarray(0, CHECK_BYTES);
