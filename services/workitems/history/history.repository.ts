import type { EventTypeOf } from '@worktrack/contracts/events/event';
import { HISTORY_NAMES, type HistoryEvent, type HistoryName } from '@worktrack/contracts/work-items/history-event';
import { inOrder, type OrderedRead, type PageEnd } from '@worktrack/runtime/database/in-order';
import type { Scope, WriteScope } from '../calls/scope.ts';
import type { ItemRecord } from '../items/items.model.ts';
import type { LeaseRecord } from '../items/lease.model.ts';
import { HistoryModel, type HistoryRecord } from './history.model.ts';
import { keptChanges } from './kept-changes.ts';
import { actorOf, type ToldItem, tell } from './tell.ts';

/** The log gets all of them, and the history those that it has a name for. */
export interface NewEvent {
  readonly type: EventTypeOf<'work_item'>;
  readonly data: Record<string, unknown>;
  /** When the agent claimed, for a comment that it makes with the token of its lease. Not shown: it separates the agent's own words from the answers to them. */
  readonly ofClaim?: Date | undefined;
}

const historyNames: Partial<Record<NewEvent['type'], HistoryName>> = HISTORY_NAMES;

/**
 * Called by everything that changes an item, in the same write: a change without its event would be invisible.
 * @returns those that the history keeps
 */
export function record(scope: WriteScope, item: ToldItem, events: readonly NewEvent[]): HistoryEvent[] {
  const { caller, writes } = scope;
  const { organizationId, userId, keyId } = caller;
  const actor = actorOf(scope, item) ?? { userId, keyId };
  const createdAt = new Date();
  return events.flatMap((event) => {
    const { type, data } = event;
    const eventId = tell(scope, item, type, data);
    const eventType = historyNames[type];
    if (!eventType) return [];
    const recorded: HistoryRecord = {
      // The same id in the log, so that either can be found from the other.
      _id: eventId,
      organizationId,
      workItemId: item._id,
      revision: item.revision,
      eventType,
      data: eventType === 'updated' ? keptChanges(data) : data,
      actor,
      createdAt,
      ...(event.ofClaim && { ofClaim: event.ofClaim }),
    };
    writes.insert(HistoryModel, recorded);
    return eventOf(recorded);
  });
}

interface OfType {
  readonly eventType?: HistoryName | undefined;
}

/** An item as it was read: its history has nothing of a later revision. */
type Past = Pick<ItemRecord, '_id' | 'revision'>;

/** An event, and where it is in the history of its item. */
export interface PlacedEvent {
  readonly event: HistoryEvent;
  readonly place: PageEnd;
}

/** Newest first. @param after where to go on */
export async function latestEvents(
  scope: Scope,
  item: Past,
  type: OfType,
  { limit, after }: { readonly limit: number; readonly after?: PageEnd | undefined },
): Promise<PlacedEvent[]> {
  const records = await newestFirst<HistoryRecord>(scope, item, type, { limit, after, present: [] });
  return records.map((record) => ({ event: eventOf(record), place: { value: record.revision, id: record._id } }));
}

function newestFirst<Row>(
  { caller, tx }: Scope,
  { _id, revision }: Past,
  type: OfType,
  part: Pick<OrderedRead, 'limit' | 'after' | 'present'>,
): Promise<Row[]> {
  return inOrder<Row>(HistoryModel, {
    ...part,
    filter: ofItem(caller, _id, type),
    order: { field: 'revision', direction: -1 },
    range: { $lt: revision + 1 },
    session: tx,
  });
}

export async function countEvents({ caller }: Scope, workItemId: string, type: OfType): Promise<number> {
  const [counted] = await HistoryModel.aggregate<{ total: number }>([
    { $match: ofItem(caller, workItemId, type) },
    { $group: { _id: null, total: { $sum: 1 } } },
  ]);
  return counted?.total ?? 0;
}

function ofItem({ organizationId }: Scope['caller'], workItemId: string, { eventType }: OfType) {
  return { organizationId, workItemId, ...(eventType && { eventType }) };
}

/**
 * Comments that an item got after a given revision and that are meant for the agent that holds it, oldest first. These are comments by other keys, and after
 * its question all that were not made with its own token. People often have only the key that the agent works with.
 */
export async function answersTo(
  { caller: { organizationId } }: Scope,
  workItemId: string,
  { keyId, claimedAt, askedRevision }: Pick<LeaseRecord, 'keyId' | 'claimedAt' | 'askedRevision'>,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<(Pick<HistoryEvent, 'actor' | 'createdAt'> & { readonly revision: number; readonly text: string })[]> {
  const eventType: HistoryName = 'comment';
  const records = await HistoryModel.aggregate<HistoryRecord>([
    {
      $match: {
        organizationId,
        workItemId,
        revision: { $gt: after },
        eventType,
        ofClaim: { $ne: claimedAt },
        $or: [
          { 'actor.keyId': { $ne: keyId } },
          ...(askedRevision === undefined ? [] : [{ revision: { $gt: askedRevision } }]),
        ],
      },
    },
    { $sort: { revision: 1, _id: 1 } },
    { $limit: limit },
  ]);
  return records.map((each) => {
    const { actor, createdAt } = eventOf(each);
    return { text: String(each.data.text), actor, createdAt, revision: each.revision };
  });
}

/** The texts of an item's latest comments, oldest first. */
export async function latestComments(scope: Scope, item: Past): Promise<string[]> {
  const part = { limit: MAX_COMMENTS, present: [{ $project: { revision: 1, text: '$data.text' } }] };
  const latest = await newestFirst<{ readonly text: string }>(scope, item, { eventType: 'comment' }, part);
  return latest.map(({ text }) => text).reverse();
}

/** More than that say nothing that a search would miss. */
const MAX_COMMENTS = 500;

/** What a deleted item was called. */
export async function deletedItem(
  { caller: { organizationId } }: Scope,
  ref: string,
): Promise<(Past & { readonly taskId: string; readonly title: string }) | undefined> {
  const eventType: HistoryName = 'deleted';
  const named = ref.length === UUID_LENGTH ? { workItemId: ref } : { 'data.taskId': ref };
  const [last] = await HistoryModel.aggregate<HistoryRecord>([
    { $match: { organizationId, ...named, eventType } },
    { $limit: 1 },
  ]);
  if (!last) return undefined;
  const { workItemId, revision, data } = last;
  return { _id: workItemId, revision, taskId: String(data.taskId), title: String(data.title) };
}

const UUID_LENGTH = 36;

function eventOf({ _id, eventType, data, actor, createdAt }: HistoryRecord): HistoryEvent {
  return { id: _id, eventType, data, actor, createdAt: createdAt.toISOString() };
}
