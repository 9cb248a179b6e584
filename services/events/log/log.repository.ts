import type { EventType, LoggedEvent, PublishedLogEvent } from '@worktrack/contracts/events/event';
import { serverCapabilities } from '@worktrack/runtime/database/server';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { LRUCache } from 'lru-cache';
import mongoose from 'mongoose';
import type { Move } from './heads.repository.ts';
import { type HeadRecord, HeadModel as LogHeads, LogModel, type LogRecord } from './log.model.ts';

/** Which of these ids are in the log, or beyond its head. */
export async function idsInLog(ids: readonly string[]): Promise<ReadonlySet<string>> {
  const records = await LogModel.find({ _id: mongoose.trusted({ $in: [...ids] }) }, { _id: 1 }).lean();
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
  // Before any head moves: the stand-in reports what a full disk has refused as stored.
  const last = records.at(-1);
  if (!serverCapabilities().commitsAreReliable && last && !(await LogModel.exists({ _id: last._id }))) {
    throw new Error('The events that were reported as stored are not there.');
  }
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

/** For the organizations whose log was read last. It only goes up. */
const oldestPlaces = new LRUCache<string, number>({ max: 10_000 });

/** The place of the oldest event still there; undefined if there is none. Usually it is the same as last time, which is the cheapest to check. */
export async function oldestOf(organizationId: string): Promise<number | undefined> {
  const last = oldestPlaces.get(organizationId) ?? 1;
  if (await LogModel.exists({ organizationId, seq: last })) return last;
  const [oldest] = await LogModel.find({ organizationId }, { seq: 1 }).sort({ seq: 1 }).limit(1).lean();
  // Of a log without any, nothing is remembered.
  oldestPlaces.set(organizationId, oldest?.seq);
  return oldest?.seq;
}

export interface LogFilter {
  readonly types: readonly EventType[];
  /** Any of them. */
  readonly projectIds?: readonly string[] | undefined;
  /** UUID or task ID. */
  readonly workItemId?: string | undefined;
}

/** In order, those at the places `after` < seq ≤ `upTo`. */
export async function between(
  organizationId: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  { types, projectIds, workItemId }: LogFilter,
  limit: number,
): Promise<LoggedEvent[]> {
  const records = await LogModel.aggregate<LogRecord>([
    {
      $match: {
        organizationId,
        seq: { $gt: after, $lte: upTo },
        type: { $in: [...types] },
        ...(projectIds && { projectId: projectIds.length === 1 ? projectIds[0] : { $in: [...projectIds] } }),
        ...(workItemId !== undefined && { [isTaskId(workItemId) ? 'subject.taskId' : 'subject.id']: workItemId }),
      },
    },
    { $sort: { seq: 1 } },
    { $limit: limit },
  ]).option({ batchSize: limit + 1 });
  return records.map(loggedEvent);
}

/** The last ones that were read to be queued: they are about to be sent, to any number of webhooks. */
const recent = new LRUCache<string, LoggedEvent>({ max: 1_000 });
const placeOf = (organizationId: string, seq: number) => `${organizationId} ${seq}`;

/** In order, those at the `limit` places after this one, or from the beginning of the log if that is later. */
export async function following(organizationId: string, after: number, limit: number): Promise<LoggedEvent[]> {
  let records = await inPlaces(organizationId, after, limit);
  if (records.length === 0) {
    const oldest = await oldestOf(organizationId);
    if (oldest !== undefined && oldest > after + limit) records = await inPlaces(organizationId, oldest - 1, limit);
  }
  const found = records.map(loggedEvent);
  for (const event of found) recent.set(placeOf(organizationId, event.seq), event);
  return found;
}

/** Drops what events say about who a user is: name and address. A rare call, so it walks the log rather than having an index kept up for it. */
export async function eraseUserFromLog(organizationId: string, userId: string): Promise<void> {
  const oldest = await oldestOf(organizationId);
  const head = (await LogHeads.findById(organizationId).lean())?.seq ?? 0;
  for (let after = (oldest ?? head + 1) - 1; after < head; after += ERASED_PLACES) {
    const upTo = Math.min(head, after + ERASED_PLACES);
    const filter = { types: TYPES_WITH_NAMES, workItemId: userId };
    for (const { id, data } of await between(organizationId, { after, upTo }, filter, ERASED_PLACES)) {
      const { name: _, email: __, changes, ...rest } = data;
      const { name: ___, email: ____, ...others } = (changes ?? {}) as Record<string, unknown>;
      const erased = JSON.stringify({ ...rest, ...(changes !== undefined && { changes: others }) });
      await LogModel.updateOne({ organizationId, _id: id }, { $set: { data: erased } });
    }
  }
}

const TYPES_WITH_NAMES = ['user.created', 'user.updated'] as const;
const ERASED_PLACES = 2_000;

async function inPlaces(organizationId: string, after: number, limit: number): Promise<LogRecord[]> {
  const seq = mongoose.trusted({ $gt: after, $lte: after + limit });
  return LogModel.find({ organizationId, seq }).sort({ seq: 1 }).lean();
}

/** By their places; those no longer in the log are left out. */
export async function at(organizationId: string, seqs: readonly number[]): Promise<Map<number, LoggedEvent>> {
  const remembered = seqs.flatMap((seq) => recent.get(placeOf(organizationId, seq)) ?? []);
  const events = new Map(remembered.map((event) => [event.seq, event]));
  const unknown = seqs.filter((seq) => !events.has(seq));
  if (unknown.length === 0) return events;
  const found = await LogModel.find({ organizationId, seq: mongoose.trusted({ $in: unknown }) }).lean();
  for (const record of found) events.set(record.seq, loggedEvent(record));
  return events;
}

function loggedEvent({ _id, organizationId: _, loggedAt: __, data, ...event }: LogRecord): LoggedEvent {
  return { ...event, id: _id, data: JSON.parse(data) };
}

/** Those that are one or the other. */
const isTaskId = (name: string) => !name.includes('-', 9);
