import type { LoggedEvent, PublishedLogEvent } from '@worktrack/contracts/events/event';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { databaseServer } from '@worktrack/runtime/database/server';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Move } from './heads.repository.ts';
import { type HeadRecord, LogModel, type LogRecord } from './log.model.ts';
import { inPlaces, loggedEvent } from './places.repository.ts';

/** Which of these ids are in the log, or beyond its head. */
export async function idsInLog(ids: readonly string[]): Promise<ReadonlySet<string>> {
  const records = await LogModel.find({ _id: oneOf(ids) }, { _id: 1 }).lean();
  return new Set(records.map(({ _id }) => _id));
}

/** Events at the places after a head. */
export interface Addition extends Move {
  readonly logged: readonly LoggedEvent[];
  readonly records: readonly LogRecord[];
}

/** Gives events the places after a head. */
export function append(before: HeadRecord, events: readonly PublishedLogEvent[]): Addition {
  const loggedAt = new Date(Math.max(Date.now(), before.loggedAt.getTime()));
  const logged = events.map(
    ({ organizationId: _, ...event }, index): LoggedEvent => ({
      seq: before.seq + index + 1,
      ...event,
    }),
  );
  const records = logged.map(
    ({ id, data, ...event }): LogRecord => ({
      _id: id,
      organizationId: before._id,
      ...event,
      data: JSON.stringify(data),
      loggedAt,
    }),
  );
  return { before, head: { _id: before._id, seq: before.seq + events.length, loggedAt }, logged, records };
}

/** The first `limit` ones that are stored at the places after a head. */
export async function beyond(before: HeadRecord, limit: number): Promise<Addition> {
  const { _id: organizationId, seq } = before;
  const records = await inPlaces(organizationId, seq, limit);
  const last = records.at(-1);
  const head = last ? { _id: organizationId, seq: last.seq, loggedAt: last.loggedAt } : before;
  return { before, head, logged: records.map(loggedEvent), records };
}

/** In this order, each once the one before it is stored, up to one whose id or place is taken. */
export async function insert(records: readonly LogRecord[]): Promise<void> {
  await LogModel.insertMany(records, { ordered: true, lean: true });
  // Before any head moves.
  const last = records.at(-1);
  if (last) await databaseServer().confirmInsert(LogModel, last._id);
}

/** Whether an event could be stored at the moment: tried with one that belongs to nobody, and is removed again. */
export async function canStore(): Promise<boolean> {
  const id = uuidv7();
  const at = new Date();
  const blank = { id, organizationId: id, at: at.toISOString(), actor: null, revision: 0, data: {} };
  const event = { ...blank, type: 'user.created', subject: { kind: 'user', id } } as const;
  try {
    await insert(append({ _id: id, seq: 0, loggedAt: at }, [event]).records);
    await LogModel.deleteOne({ _id: id });
    return true;
  } catch {
    return false;
  }
}
