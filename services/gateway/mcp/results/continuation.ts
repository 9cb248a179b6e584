import { createHash } from 'node:crypto';
import { readCursor } from '@worktrack/runtime/validation/cursor';
import { invalid } from '@worktrack/runtime/validation/parse';
import { z } from 'zod';

/** Where the lists of a result continue: how many entries were shown, and the last one. */
const Position = z.record(z.string(), z.tuple([z.int().min(0), z.string()]));
type Position = z.infer<typeof Position>;

const KEY_BYTES = 6;

/**
 * For results that are recomputed for every page, such as a context. It says which entry of each list was the last, so that entries that come or
 * go before it between two pages shift nothing.
 * @param asked what identifies the results: a cursor is valid only for those it was made for
 */
export function positionOf(cursor: string, asked: unknown): Position {
  const position = readCursor(cursor, asked, Position);
  if (position) return position;
  throw invalid([
    { path: 'cursor', message: 'must be the nextCursor of an earlier result of this tool, with the same arguments' },
  ]);
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
  const position: Position = {};
  for (const [list, entries] of lists) {
    const end = entries.length - (rest.get(list)?.length ?? 0) + (shown[list] ?? 0);
    position[list] = [end, end === 0 ? '' : keyOf(entries[end - 1])];
  }
  return position;
}

/** What identifies an entry, shortened: an input may be 200 characters long. */
function keyOf(entry: unknown): string {
  const { id, taskId, key } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  return createHash('sha256')
    .update(JSON.stringify(id ?? taskId ?? key ?? entry))
    .digest()
    .subarray(0, KEY_BYTES)
    .toString('base64url');
}
