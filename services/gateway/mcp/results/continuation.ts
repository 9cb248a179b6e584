import { createHash } from 'node:crypto';
import { readCursor } from '@worktrack/runtime/validation/cursor';
import { invalid } from '@worktrack/runtime/validation/parse';
import { z } from 'zod';

/** Where the lists of a result continue: how many entries were shown, the last of them, and the first of the others, nearest first. */
const Place = z.tuple([z.int().min(0), z.array(z.string()), z.array(z.string())]);
const Position = z.record(z.string(), Place);
type Position = z.infer<typeof Position>;

/** On either side. A reader who deals with the items shown, as a reviewer does, takes all of them off the list; others may take off the next ones. */
const NEIGHBOURS = 2;
const KEY_BYTES = 6;

/**
 * For results that are recomputed for every page, such as a context. It says between which entries of each list a page ended, so that entries that come or
 * go between two pages shift nothing.
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
  const [shown, before, behind] = at;
  if (shown === 0 || (shown <= entries.length && keyOf(entries[shown - 1]) === before[0])) return shown;
  const keys = entries.map(keyOf);
  for (let n = 0; n < NEIGHBOURS; n++) {
    const last = keys.indexOf(before[n] ?? '');
    if (last !== -1) return last + 1;
    const next = keys.indexOf(behind[n] ?? '');
    if (next !== -1) return next;
  }
  return shown;
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
    const before = entries.slice(Math.max(0, end - NEIGHBOURS), end).toReversed();
    position[list] = [end, before.map(keyOf), entries.slice(end, end + NEIGHBOURS).map(keyOf)];
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
