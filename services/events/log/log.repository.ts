import type { EventType, LoggedEvent, PublishedEvent } from '@worktrack/contracts/events/event';
import type { WriteSet } from '@worktrack/runtime/database/write-set';
import mongoose, { type ClientSession } from 'mongoose';
import { HeadModel, type HeadRecord, LogModel, type LogRecord } from './log.model.ts';

/** Which of these ids are in the log. */
export async function known(ids: readonly string[], tx: ClientSession): Promise<ReadonlySet<string>> {
  const records = await LogModel.find({ _id: mongoose.trusted({ $in: [...ids] }) }, { _id: 1 }, { session: tx }).lean();
  return new Set(records.map(({ _id }) => _id));
}

/** Read outside any transaction. */
export async function isLogged(id: string): Promise<boolean> {
  return (await LogModel.exists({ _id: id })) !== null;
}

/** Where these organizations' logs end; only for those that have one. */
export async function heads(
  organizationIds: readonly string[],
  tx?: ClientSession,
): Promise<ReadonlyMap<string, HeadRecord>> {
  const records = await HeadModel.find({ _id: mongoose.trusted({ $in: [...organizationIds] }) })
    .session(tx ?? null)
    .lean();
  return new Map(records.map((record) => [record._id, record]));
}

/** Events added at the end of an organization's log, and how they are stored. */
export interface Appended {
  /** As of then. */
  readonly head: HeadRecord;
  readonly logged: readonly LoggedEvent[];
  readonly records: readonly LogRecord[];
}

/** Gives events the next places in their organization's log. If somebody else does so meanwhile, only one of them succeeds (optimistic, by the head). */
export function append(
  writes: WriteSet,
  organizationId: string,
  head: HeadRecord | undefined,
  events: readonly PublishedEvent[],
): Appended {
  const loggedAt = new Date(Math.max(Date.now(), head?.loggedAt.getTime() ?? 0));
  const logged = events.map(
    ({ organizationId: _, ...event }, index): LoggedEvent => ({
      seq: (head?.seq ?? 0) + index + 1,
      ...event,
    }),
  );
  const records = logged.map(
    ({ id, data, ...event }): LogRecord => ({
      _id: id,
      organizationId,
      ...event,
      data: JSON.stringify(data),
      loggedAt,
    }),
  );
  const end: HeadRecord = { _id: organizationId, seq: (head?.seq ?? 0) + events.length, loggedAt };
  if (head) writes.update(HeadModel, { _id: organizationId, seq: head.seq }, { set: { seq: end.seq, loggedAt } });
  else writes.insert(HeadModel, end);
  return { head: end, logged, records };
}

/** In one command: there are many. */
export async function insert(records: readonly LogRecord[], tx: ClientSession): Promise<void> {
  if (records.length > 0) await LogModel.insertMany(records, { session: tx, lean: true });
}

/** The place of the last event; 0 before the first. */
export async function headOf(organizationId: string, tx?: ClientSession): Promise<number> {
  const head = await HeadModel.findById(organizationId)
    .session(tx ?? null)
    .lean();
  return head?.seq ?? 0;
}

/** For the organizations whose log was read last. It only goes up. */
const oldestPlaces = new Map<string, number>();
const MAX_REMEMBERED = 10_000;

/** The place of the oldest event still there; undefined if there is none. Usually it is the same as last time, which is the cheapest to check. */
export async function oldestOf(organizationId: string): Promise<number | undefined> {
  const last = oldestPlaces.get(organizationId) ?? 1;
  if (await LogModel.exists({ organizationId, seq: last })) return last;
  const [oldest] = await LogModel.find({ organizationId }, { seq: 1 }).sort({ seq: 1 }).limit(1).lean();
  oldestPlaces.delete(organizationId);
  if (!oldest) return undefined;
  oldestPlaces.set(organizationId, oldest.seq);
  for (const first of oldestPlaces.keys()) {
    if (oldestPlaces.size <= MAX_REMEMBERED) break;
    oldestPlaces.delete(first);
  }
  return oldest.seq;
}

export interface LogFilter {
  readonly types: readonly EventType[];
  readonly projectId?: string | undefined;
  /** UUID or task ID. */
  readonly workItemId?: string | undefined;
}

/** In order, those at the places `after` < seq ≤ `upTo`. */
export async function between(
  organizationId: string,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  { types, projectId, workItemId }: LogFilter,
  limit: number,
): Promise<LoggedEvent[]> {
  const records = await LogModel.aggregate<LogRecord>([
    {
      $match: {
        organizationId,
        seq: { $gt: after, $lte: upTo },
        type: { $in: [...types] },
        ...(projectId !== undefined && { projectId }),
        ...(workItemId !== undefined && { [isTaskId(workItemId) ? 'subject.taskId' : 'subject.id']: workItemId }),
      },
    },
    { $sort: { seq: 1 } },
    { $limit: limit },
  ]).option({ batchSize: limit + 1 });
  return records.map(loggedEvent);
}

/** In order, those at the `limit` places after this one, or from the beginning of the log if that is later. */
export async function following(organizationId: string, after: number, limit: number): Promise<LoggedEvent[]> {
  const found = await inPlaces(organizationId, after, limit);
  if (found.length > 0) return found;
  const oldest = await oldestOf(organizationId);
  return oldest !== undefined && oldest > after + limit ? inPlaces(organizationId, oldest - 1, limit) : [];
}

async function inPlaces(organizationId: string, after: number, limit: number): Promise<LoggedEvent[]> {
  const seq = mongoose.trusted({ $gt: after, $lte: after + limit });
  return (await LogModel.find({ organizationId, seq }).sort({ seq: 1 }).lean()).map(loggedEvent);
}

/** By their places; those no longer in the log are left out. */
export async function at(organizationId: string, seqs: readonly number[]): Promise<Map<number, LoggedEvent>> {
  if (seqs.length === 0) return new Map();
  const found = await LogModel.find({ organizationId, seq: mongoose.trusted({ $in: [...seqs] }) }).lean();
  return new Map(found.map((record) => [record.seq, loggedEvent(record)]));
}

function loggedEvent({ _id, organizationId: _, loggedAt: __, data, ...event }: LogRecord): LoggedEvent {
  return { ...event, id: _id, data: JSON.parse(data) };
}

/** Those that are one or the other. */
const isTaskId = (name: string) => !name.includes('-', 9);
