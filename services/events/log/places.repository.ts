import type { EventType, LoggedEvent } from '@worktrack/contracts/events/event';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { databaseServer } from '@worktrack/runtime/database/server';
import { LRUCache } from 'lru-cache';
import mongoose from 'mongoose';
import { headOf } from './heads.repository.ts';
import { LogModel, type LogRecord } from './log.model.ts';

/** For the organizations whose log was read last. It only goes up. */
const oldestPlaces = new LRUCache<string, number>({ max: 10_000 });

/** The place of the oldest event still there; undefined if there is none. Usually it is the same as last time, which is the cheapest to check. */
export async function oldestOf(organizationId: string): Promise<number | undefined> {
  const last = oldestPlaces.get(organizationId) ?? 1;
  if (await LogModel.exists({ organizationId, seq: last })) return last;
  const places = { field: 'seq', from: last, upTo: await headOf(organizationId) };
  const oldest = await databaseServer().lowest(LogModel, { organizationId }, places);
  // Of a log without any, nothing is remembered.
  oldestPlaces.set(organizationId, oldest);
  return oldest;
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

/** The last ones that were read to be queued: they are about to be sent, to any number of webhooks. Not for long, since others erase from the log what names a user. */
const recent = new LRUCache<string, LoggedEvent>({ max: 1_000, ttl: 60_000 });
const placeOf = (organizationId: string, seq: number) => `${organizationId} ${seq}`;

/** What it says has changed. */
export function forget(organizationId: string, seq: number): void {
  recent.delete(placeOf(organizationId, seq));
}

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

/** The records at the `limit` places after this one. */
export async function inPlaces(organizationId: string, after: number, limit: number): Promise<LogRecord[]> {
  const seq = mongoose.trusted({ $gt: after, $lte: after + limit });
  return LogModel.find({ organizationId, seq }).sort({ seq: 1 }).lean();
}

/** By their places; those no longer in the log are left out. */
export async function at(organizationId: string, seqs: readonly number[]): Promise<Map<number, LoggedEvent>> {
  const remembered = seqs.flatMap((seq) => recent.get(placeOf(organizationId, seq)) ?? []);
  const events = new Map(remembered.map((event) => [event.seq, event]));
  const unknown = seqs.filter((seq) => !events.has(seq));
  if (unknown.length === 0) return events;
  const found = await LogModel.find({ organizationId, seq: oneOf(unknown) }).lean();
  for (const record of found) events.set(record.seq, loggedEvent(record));
  return events;
}

export function loggedEvent({ _id, organizationId: _, loggedAt: __, data, ...event }: LogRecord): LoggedEvent {
  return { ...event, id: _id, data: JSON.parse(data) };
}

/** Those that are one or the other. */
const isTaskId = (name: string) => !name.includes('-', 9);
