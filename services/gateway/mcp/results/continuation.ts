import { createHash } from 'node:crypto';
import { invalid } from '@worktrack/runtime/validation/parse';

/** Where the lists of a result continue: how many entries were shown, and the last one. */
export type Position = Readonly<Record<string, readonly [shown: number, last: string]>>;

const CHECK_BYTES = 9;
const KEY_BYTES = 6;

/**
 * A cursor for results that are recomputed for every page, such as a context. It says which entry of each list was the last, so that entries that come or
 * go before it between two pages shift nothing.
 * @param asked what identifies the results: a cursor is valid only for those it was made for
 */
export function writeCursor(position: Position, asked: unknown): string {
  const payload = JSON.stringify(position);
  return Buffer.concat([checkOf(payload, asked), Buffer.from(payload)]).toString('base64url');
}

export function readCursor(cursor: string, asked: unknown): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(CHECK_BYTES).toString();
  if (bytes.toString('base64url') !== cursor || !bytes.subarray(0, CHECK_BYTES).equals(checkOf(payload, asked))) {
    const message = 'must be the nextCursor of an earlier result of this tool, with the same arguments';
    throw invalid([{ path: 'cursor', message }]);
  }
  return JSON.parse(payload) as Position;
}

/** The rest of each list. */
export function from(lists: ReadonlyMap<string, readonly unknown[]>, position: Position): Map<string, unknown[]> {
  return new Map([...lists].map(([list, entries]) => [list, entries.slice(startIn(entries, position[list]))]));
}

function startIn(entries: readonly unknown[], at: Position[string] | undefined): number {
  if (!at) return 0;
  const [shown, last] = at;
  const isLast = (entry: unknown) => entry !== undefined && keyOf(entry) === last;
  if (shown === 0 || isLast(entries[shown - 1])) return shown;
  const index = entries.findIndex(isLast);
  return index === -1 ? shown : index + 1;
}

/** @param lists complete @param shown how much of each was shown */
export function after(
  lists: ReadonlyMap<string, readonly unknown[]>,
  rest: ReadonlyMap<string, readonly unknown[]>,
  shown: Readonly<Record<string, number>>,
): Position {
  const position: Record<string, readonly [number, string]> = {};
  for (const [list, entries] of lists) {
    const end = entries.length - (rest.get(list)?.length ?? 0) + (shown[list] ?? 0);
    position[list] = [end, end === 0 ? '' : keyOf(entries[end - 1])];
  }
  return position;
}

/** What identifies an entry, shortened: an input may be 200 characters long. */
function keyOf(entry: unknown): string {
  const { id, taskId, key } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  return digest(id ?? taskId ?? key ?? entry)
    .subarray(0, KEY_BYTES)
    .toString('base64url');
}

const checkOf = (payload: string, asked: unknown) => digest([payload, asked]).subarray(0, CHECK_BYTES);

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest();
