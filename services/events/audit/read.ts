import type { exportAudit, listAudit, listAuditHeads } from '@worktrack/contracts/audit/operations';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext } from '@worktrack/runtime/database/handlers/contexts';
import type { Read } from '@worktrack/runtime/database/handlers/handler-kinds';
import { readCursor, writeCursor } from '@worktrack/runtime/validation/cursor';
import { invalid } from '@worktrack/runtime/validation/parse';
import { z } from 'zod';
import type { EntryRecord } from './entries.model.ts';
import { endOf, entriesAfter, entryOf, lastBefore, lastEnteredBefore, newestEntries } from './entries.repository.ts';
import { headOf, newestHeads } from './heads.repository.ts';

/** Read from the database for one piece of an export. */
const PIECE_ENTRIES = 500;
/** How many entries a filter that finds little is applied to in one call; the caller continues from there. */
const WINDOW = 2_000;
const EntryPosition = z.tuple([z.int(), z.string()]);
const CURSOR_FAULT = 'must be the nextCursor of the same list with the same filters';

export const readAudit: Read<typeof listAudit> = async ({ cursor, limit, ...given }, { caller }) => {
  const { organizationId } = caller;
  const { after, from, to, ...names } = given;
  const filter = { ...names, ...(from && { from: new Date(from) }), ...(to && { to: new Date(to) }) };
  const list = ['audit', organizationId, given];
  const place = cursor === undefined ? undefined : placeOf(cursor, list);
  if (after !== undefined) {
    const { entries, next } = await following(organizationId, place?.value.getTime() ?? after, filter, limit);
    return { entries: entries.map(entryOf), nextCursor: next === undefined ? null : writeCursor([next, ''], list) };
  }
  const records = await newestEntries(organizationId, filter, { after: place, limit: limit + 1 });
  const page = records.slice(0, limit);
  return { entries: page.map(entryOf), nextCursor: records.length > limit ? cursorOf(page, list, 'enteredAt') : null };
};

/** In the order of places, with the filters applied on the way: whoever follows the log has read what comes before. */
async function following(organizationId: string, after: number, wanted: Wanted, limit: number) {
  const found: EntryRecord[] = [];
  // Counted in entries: what its retention has removed at the beginning has left no places to go through.
  let place = after;
  for (let read = 0; read < WINDOW; ) {
    const page = await entriesAfter(organizationId, place, limit);
    for (const record of page) {
      if (!matches(record, wanted)) continue;
      found.push(record);
      if (found.length === limit) return { entries: found, next: record.seq };
    }
    // Fewer than there are places do not mean the end: its retention may have removed the first of them.
    const last = page.at(-1);
    if (!last) return { entries: found };
    place = last.seq;
    read += page.length;
  }
  return { entries: found, next: place };
}

interface Wanted {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

function matches(record: EntryRecord, { actor, action, target, from, to }: Wanted): boolean {
  return (
    (actor === undefined || record.actorIds.includes(actor)) &&
    (action === undefined || record.action === action) &&
    (target === undefined || record.targetIds.includes(target)) &&
    (from === undefined || record.at >= from) &&
    (to === undefined || record.at < to)
  );
}

export const readHeads: Read<typeof listAuditHeads> = async ({ cursor, limit }, { caller }) => {
  const { organizationId } = caller;
  const list = ['audit heads', organizationId];
  const records = await newestHeads(organizationId, {
    after: cursor === undefined ? undefined : placeOf(cursor, list),
    limit: limit + 1,
  });
  const page = records.slice(0, limit);
  return { heads: page.map(headOf), nextCursor: records.length > limit ? cursorOf(page, list, 'at') : null };
};

function placeOf(cursor: string, list: unknown): { value: Date; id: string } {
  const place = readCursor(cursor, list, EntryPosition);
  if (!place) throw invalid([{ path: 'cursor', message: CURSOR_FAULT }]);
  return { value: new Date(place[0]), id: place[1] };
}

function cursorOf<Field extends string>(
  page: readonly ({ readonly _id: string } & Readonly<Record<Field, Date>>)[],
  list: unknown,
  field: Field,
): string | null {
  const last = page.at(-1);
  return last ? writeCursor([last[field].getTime(), last._id], list) : null;
}

/**
 * All entries between the first and the last of the range, without a gap, which could not be told from a deletion. So entries that were made late are included,
 * too.
 */
export async function exportEntries(
  { from, to }: Input<typeof exportAudit>,
  { caller }: ReadContext,
): Promise<{ readonly output: Output<typeof exportAudit>; readonly bytes: AsyncIterable<Uint8Array> }> {
  const { organizationId } = caller;
  const after = from === undefined ? 0 : await placeBefore(organizationId, new Date(from));
  const upTo = to === undefined ? (await endOf(organizationId)).seq : await lastBefore(organizationId, new Date(to));
  const [first] = upTo > after ? await entriesAfter(organizationId, after, 1) : [];
  const entries = first && first.seq <= upTo ? upTo - first.seq + 1 : 0;
  return { output: { entries }, bytes: lines(organizationId, after, upTo) };
}

/** The place before the first entry of what happened from this moment on: of some that happened before, such as refusals, the entries come after it. */
async function placeBefore(organizationId: string, moment: Date): Promise<number> {
  let place = await lastEnteredBefore(organizationId, moment);
  for (;;) {
    const page = await entriesAfter(organizationId, place, PIECE_ENTRIES);
    const first = page.find(({ at }) => at >= moment);
    if (first) return first.seq - 1;
    const last = page.at(-1);
    if (!last) return place;
    place = last.seq;
  }
}

async function* lines(organizationId: string, after: number, upTo: number): AsyncGenerator<Uint8Array> {
  for (let place = after; place < upTo; ) {
    const page = (await entriesAfter(organizationId, place, PIECE_ENTRIES)).filter(({ seq }) => seq <= upTo);
    const last = page.at(-1);
    if (!last) return;
    yield Buffer.from(page.map((record) => `${JSON.stringify(entryOf(record))}\n`).join(''));
    place = last.seq;
  }
}
