import type { EventType, PublishedEvent } from '@worktrack/contracts/events/event';
import { HISTORY_NAMES, type HistoryName } from '@worktrack/contracts/work-items/history-event';
import { oneOf } from '@worktrack/runtime/database/one-of';
import type { OutboxRecord } from '@worktrack/runtime/database/outbox/outbox.model';
import { insertPast, pastRecord } from '@worktrack/runtime/database/outbox/outbox.repository';
import { transaction } from '@worktrack/runtime/database/transaction';
import type { ClientSession } from 'mongoose';
import { ItemModel } from '../items/items.model.ts';
import { HistoryModel, type HistoryRecord } from './history.model.ts';

const LOG_TYPES = Object.fromEntries(Object.entries(HISTORY_NAMES).map(([type, name]) => [name, type])) as Record<
  HistoryName,
  EventType
>;

/** What goes into one transaction. A record may hold two descriptions and metadata twice, so they are read one after the other. */
const CHUNK = 200;
const CHUNK_DEADLINE_MS = 60_000;
const READ_AT_ONCE = 20;
/** How long a log keeps events unless configured otherwise: anything older would be dropped at once. */
const PAST_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Puts what 0.1 wrote into these items' history, without telling the log, into the outbox: everything that a log would still keep,
 * each record once, older revisions before newer ones. Any number of replicas may do so at once.
 * @returns whether that was all: it handles one transaction's worth
 */
export async function tellPastOf(organizationId: string, workItemIds: readonly string[]): Promise<boolean> {
  const next = await HistoryModel.aggregate<Pick<HistoryRecord, '_id' | 'workItemId'>>([
    {
      $match: {
        organizationId,
        workItemId: { $in: workItemIds },
        _id: { $gte: startOfPast() },
        told: null,
      },
    },
    { $sort: { workItemId: 1, revision: 1, _id: 1 } },
    { $limit: CHUNK },
    { $project: { workItemId: 1 } },
  ]);
  if (next.length === 0) return true;
  const names = await namesOf(organizationId, [...new Set(next.map(({ workItemId }) => workItemId))]);
  const ids = next.map(({ _id }) => _id);
  await transaction(Date.now() + CHUNK_DEADLINE_MS, (tx) => tellOnce(ids, names, tx));
  return next.length < CHUNK;
}

/** Ids are UUIDv7: the first 48 bits are the time, in milliseconds (RFC 9562, 5.7). */
export function startOfPast(): string {
  const hex = (Date.now() - PAST_DAYS * DAY_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Of two transactions that report the same record, one gets a conflict; when it runs again, it finds this done. */
async function tellOnce(ids: readonly string[], names: ReadonlyMap<string, Names>, tx: ClientSession): Promise<void> {
  const which = { _id: oneOf(ids), told: null };
  const records = HistoryModel.find(which, null, { session: tx })
    .lean<HistoryRecord[]>()
    .cursor({ batchSize: READ_AT_ONCE });
  const events: OutboxRecord[] = [];
  for await (const record of records) events.push(pastRecord(eventOf(record, names.get(record.workItemId))));
  if (events.length === 0) return;
  await HistoryModel.updateMany(which, { $set: { told: true } }, { session: tx });
  await insertPast(events, tx);
}

interface Names {
  readonly taskId: string;
  readonly projectId?: string;
}

/** What a record does not say about its item. For a deleted one, the end of its history has the task ID, but nothing has its project. */
async function namesOf(organizationId: string, workItemIds: readonly string[]): Promise<ReadonlyMap<string, Names>> {
  const items = await ItemModel.find({ organizationId, _id: oneOf(workItemIds) }, { taskId: 1, projectId: 1 }).lean<
    (Names & { readonly _id: string })[]
  >();
  const names = new Map<string, Names>(items.map(({ _id, taskId, projectId }) => [_id, { taskId, projectId }]));
  const gone = workItemIds.filter((id) => !names.has(id));
  if (gone.length === 0) return names;
  const ends = await HistoryModel.aggregate<Pick<HistoryRecord, 'workItemId' | 'data'>>([
    { $match: { organizationId, workItemId: { $in: gone }, eventType: 'deleted' } },
    { $project: { workItemId: 1, 'data.taskId': 1 } },
  ]);
  for (const { workItemId, data } of ends) names.set(workItemId, { taskId: String(data.taskId) });
  return names;
}

function eventOf(record: HistoryRecord, { taskId, projectId }: Partial<Names> = {}): PublishedEvent {
  const { _id, organizationId, workItemId, revision, eventType, data, actor, createdAt } = record;
  return {
    id: _id,
    organizationId,
    type: LOG_TYPES[eventType],
    at: createdAt.toISOString(),
    actor: { userId: actor.userId, keyId: actor.keyId },
    ...(projectId !== undefined && { projectId }),
    subject: { kind: 'work_item', id: workItemId, ...(taskId !== undefined && { taskId }) },
    revision,
    data,
  };
}
