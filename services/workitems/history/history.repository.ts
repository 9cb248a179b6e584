import type { EventType, HistoryEvent } from '@worktrack/contracts/work-items/history-event';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import type { Scope, WriteScope } from '../scope.ts';
import { HistoryModel, type HistoryRecord } from './history.model.ts';

export interface NewEvent {
  readonly eventType: EventType;
  readonly data: Record<string, unknown>;
}

/** An event, and the item as it is after the write that made the event. */
export type EventOf = NewEvent & { readonly item: { readonly _id: string; readonly revision: number } };

/** Called by what changes an item, in the same write: a change without its event cannot be seen. */
export function record({ caller, writes }: WriteScope, events: readonly EventOf[]): HistoryEvent[] {
  const { organizationId, userId, keyId } = caller;
  const createdAt = new Date();
  return events.map(({ item, eventType, data }) => {
    const recorded: HistoryRecord = {
      _id: uuidv7(),
      organizationId,
      workItemId: item._id,
      revision: item.revision,
      eventType,
      data,
      actor: { userId, keyId },
      createdAt,
    };
    writes.insert(HistoryModel, recorded);
    return eventOf(recorded);
  });
}

/** Newest first. */
export async function eventsOfItem(
  { caller }: Scope,
  workItemId: string,
  { eventType }: { readonly eventType?: EventType | undefined },
  limit: number,
): Promise<{ readonly events: HistoryEvent[]; readonly totalEvents: number }> {
  const found = [{ $match: { organizationId: caller.organizationId, workItemId, ...(eventType && { eventType }) } }];
  const [records, [counted]] = await Promise.all([
    HistoryModel.aggregate<HistoryRecord>([...found, { $sort: { revision: -1, _id: -1 } }, { $limit: limit }]),
    HistoryModel.aggregate<{ total: number }>([...found, { $count: 'total' }]),
  ]);
  return { events: records.map(eventOf), totalEvents: counted?.total ?? 0 };
}

/** Comments of others than one key that an item got after a revision of it, the oldest first. */
export async function commentsSince(
  { caller }: Scope,
  workItemId: string,
  revision: number,
  { exceptOf, limit }: { readonly exceptOf: string; readonly limit: number },
): Promise<(Pick<HistoryEvent, 'actor' | 'createdAt'> & { readonly revision: number; readonly text: string })[]> {
  const { organizationId } = caller;
  const eventType: EventType = 'comment';
  const records = await HistoryModel.aggregate<HistoryRecord>([
    {
      $match: { organizationId, workItemId, revision: { $gt: revision }, eventType, 'actor.keyId': { $ne: exceptOf } },
    },
    { $sort: { revision: 1, _id: 1 } },
    { $limit: limit },
  ]);
  return records.map((each) => {
    const { actor, createdAt } = eventOf(each);
    return { text: String(each.data.text), actor, createdAt, revision: each.revision };
  });
}

/** How a deleted item was called. */
export async function deletedItem(
  { caller }: Scope,
  ref: string,
): Promise<{ readonly id: string; readonly taskId: string; readonly title: string } | undefined> {
  const { organizationId } = caller;
  const eventType: EventType = 'deleted';
  const named = ref.length === UUID_LENGTH ? { workItemId: ref } : { 'data.taskId': ref };
  const [last] = await HistoryModel.aggregate<HistoryRecord>([
    { $match: { organizationId, ...named, eventType } },
    { $limit: 1 },
  ]);
  if (!last) return undefined;
  return { id: last.workItemId, taskId: String(last.data.taskId), title: String(last.data.title) };
}

const UUID_LENGTH = 36;

function eventOf({ _id, eventType, data, actor, createdAt }: HistoryRecord): HistoryEvent {
  return { id: _id, eventType, data, actor, createdAt: createdAt.toISOString() };
}
