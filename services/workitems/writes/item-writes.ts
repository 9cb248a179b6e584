import type { HistoryEvent } from '@worktrack/contracts/work-items/history-event';
import type { PreviousWork } from '@worktrack/contracts/work-items/leases';
import { Stale } from '@worktrack/runtime/database/stale';
import type { Collection } from '@worktrack/runtime/database/write-set';
import type { BoardRecord } from '../boards/boards.model.ts';
import { countMove } from '../boards/tallies.repository.ts';
import type { WriteScope } from '../calls/scope.ts';
import { type NewEvent, record } from '../history/history.repository.ts';
import { tell } from '../history/tell.ts';
import { afterChange, type ItemChanges } from '../items/after-change.ts';
import { below } from '../items/found-by.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import type { ItemOutline } from '../items/items.repository.ts';
import { isLive, type LeaseRecord } from '../items/lease.ts';
import { abandonSession } from '../sessions/abandoned.ts';
import { followReadiness, forgetReadiness } from './ready.ts';

/** An item as it was read: enough to state in a filter that nobody has written it since. */
export type ReadItem = Pick<ItemRecord, '_id' | 'organizationId' | 'treeVersion' | 'revision'>;
/** And enough to report it. */
export type ToldItem = ReadItem & Pick<ItemRecord, 'taskId' | 'projectId' | 'lease'>;
type Task = ToldItem & Pick<ItemRecord, 'claimOrder' | 'claimableFrom'>;

const items: Collection = ItemModel;
/** After any write, which increments its revision by one. */
const written = <Item extends ReadItem>(item: Item): Item => ({ ...item, revision: item.revision + 1 });
const unchanged = ({ _id, organizationId, treeVersion, revision }: ReadItem) => {
  return { organizationId, _id, treeVersion, revision };
};

export function insertItem(scope: WriteScope, item: ItemRecord, board: BoardRecord, events: readonly NewEvent[]): void {
  countMove(scope, board, undefined, item.boardColumnId);
  // If several were created at once with one external id, the others find it when they run again.
  scope.writes.insert(items, item, item.externalId === undefined ? undefined : () => new Stale());
  record(scope, item, events);
  followReadiness(scope, null, item);
}

/**
 * The one way to change an item: it increments `version` and takes the events that say what changed. What the change means for its column's
 * count, and for who may claim it, is written with it.
 * @returns the item as it is afterwards
 */
export function changeItem<Item extends ItemOutline>(
  scope: WriteScope,
  item: Item,
  board: BoardRecord,
  changes: ItemChanges & {
    readonly 'metadata.aiProvider'?: string;
    readonly 'metadata.dependsOn'?: readonly unknown[];
  },
  events: readonly NewEvent[],
  /** For a lease that ends with the change. A completion itself reports what the work has used. */
  why: PreviousWork['endedBecause'] = 'moved',
): Item {
  const { after, set } = afterChange(item, board, changes, why);
  countMove(scope, board, item.boardColumnId, after.boardColumnId);
  const isElsewhereInTree = changes.type !== undefined || changes.foundBy !== undefined;
  scope.writes.update(items, unchanged(item), {
    once: { version: 1, revision: 1, ...(isElsewhereInTree && { treeVersion: 1 }) },
    set,
  });
  if (hasEnded(item, after)) recordExpiry(scope, item);
  record(scope, { ...after, lease: item.lease }, [...events, ...abandoned(scope, item, after, why)]);
  followReadiness(scope, item, after);
  return after;
}

const hasEnded = (item: Pick<ItemRecord, 'lease'>, after: Pick<ItemRecord, 'lease'>) =>
  item.lease?.token !== after.lease?.token;

/** For a lease that has expired unreported (settle.ts), by the write that ends it. */
function recordExpiry(scope: WriteScope, item: ToldItem): void {
  if (item.lease?.unsettledUntil && !isLive(item.lease, new Date())) {
    record({ ...scope, by: 'service' }, written(item), [expiry(item.lease)]);
  }
}

export function expiry({ agent, keyId, expiresAt }: LeaseRecord): NewEvent {
  return { eventType: 'lease_expired', data: { agent, keyId, expiresAt } };
}

/** What an agent reported about its work in heartbeats, and nobody completed, is a session of its own: nothing that was spent is lost. */
function abandoned(
  scope: WriteScope,
  item: ItemOutline,
  after: Pick<ItemRecord, 'lease'>,
  why: PreviousWork['endedBecause'],
): NewEvent[] {
  return why === 'completed' || !hasEnded(item, after) ? [] : abandonSession(scope, item);
}

/** What changes in an item without being a change in its own right: nothing that `version` counts. */
export function adjustItem(
  scope: WriteScope,
  item: Task,
  set: Partial<
    Pick<
      ItemRecord,
      'lease' | 'isAiProcessing' | 'waitsFor' | 'claimOrder' | 'claimableFrom' | 'position' | 'childCount'
    >
  >,
  events: readonly NewEvent[] = [],
): void {
  scope.writes.update(items, unchanged(item), { once: { revision: 1 }, set });
  record(scope, written(item), events);
  followReadiness(scope, item, { ...written(item), ...set });
}

/** A lease that is renewed. Not counted as a change to the item: it is the agent's business, and happens all the time. */
export function renewLease(scope: WriteScope, item: Task, lease: LeaseRecord, events: readonly NewEvent[] = []): void {
  adjustItem(scope, item, { lease, ...(item.claimableFrom && { claimableFrom: lease.expiresAt }) }, events);
}

/**
 * Makes this write and every other one that writes, touches or deletes the item exclude each other: for a rule that relies on the item, or on
 * something that nobody changes without touching it.
 */
export function touch(scope: WriteScope, item: ReadItem): void {
  scope.writes.update(items, unchanged(item), { once: { revision: 1 } });
}

/** Like `touch`, for a rule that relies on nothing but the item itself: any number of them are compatible. */
export function relyOn(scope: WriteScope, item: ReadItem): void {
  scope.writes.share(items, unchanged(item), { once: { revision: 1 } });
}

/** Like `relyOn`, for a rule that relies only on where the item is: earlier and later calls do not disturb it. */
export function relyOnColumnOf(
  scope: WriteScope,
  item: Pick<ItemRecord, '_id' | 'organizationId' | 'boardColumnId'>,
): void {
  const { _id, organizationId, boardColumnId } = item;
  scope.writes.share(items, { organizationId, _id, boardColumnId }, { once: { revision: 1 } });
}

/**
 * Counts children that an item gets or loses. It relies on the item's place in the tree and its type, and not on what else is in it, so that any
 * number of children may be added at once.
 */
export function countChildren(scope: WriteScope, parent: ReadItem & Pick<ItemRecord, 'type'>, children: number): void {
  if (children > 0) forgetReadiness(scope, parent._id);
  const { _id, organizationId, treeVersion } = parent;
  scope.writes.share(
    items,
    { organizationId, _id, treeVersion },
    {
      once: { revision: 1 },
      inc: { childCount: children },
      // A task with others below it is done by doing those.
      ...(children > 0 && { set: { claimOrder: null, claimableFrom: null } }),
    },
  );
}

/** Moves what the whole tree below an item says about its ancestors from the old ones to the new ones. See found-by.ts. */
export function replaceAncestors(
  { caller, writes }: WriteScope,
  itemId: string,
  { removed, added }: { readonly removed: readonly string[]; readonly added: readonly string[] },
  expected?: number,
): void {
  const { organizationId } = caller;
  const kept = { $filter: { input: '$foundBy', cond: { $not: { $in: ['$$this', removed] } } } };
  const counted = (field: string) => ({ [field]: { $add: [`$${field}`, 1] } });
  writes.updateMany(
    items,
    { organizationId, foundBy: below(itemId) },
    [{ $set: { foundBy: { $concatArrays: [kept, added] }, ...counted('treeVersion'), ...counted('revision') } }],
    expected,
  );
}

export function removeItem(scope: WriteScope, item: ItemRecord, board: BoardRecord, events: readonly NewEvent[]): void {
  countMove(scope, board, item.boardColumnId, undefined);
  scope.writes.remove(items, unchanged(item));
  recordExpiry(scope, item);
  record(scope, written(item), events);
  forgetReadiness(scope, item._id);
}

/** What the log reports about an item whose own fields stay as they are. Excludes its deletion, like recordOn. */
export function tellOn(
  scope: WriteScope,
  item: ToldItem,
  type: Parameters<typeof tell>[2],
  data: Readonly<Record<string, unknown>>,
): void {
  touch(scope, item);
  tell(scope, written(item), type, data);
}

/** An event that comes with no change to the item, such as a comment. Excludes the item's deletion, so that no event comes after it. */
export function recordOn(scope: WriteScope, item: ToldItem, event: NewEvent): HistoryEvent {
  touch(scope, item);
  const [recorded] = record(scope, written(item), [event]);
  if (!recorded) throw new Error('An event was recorded and is not there.');
  return recorded;
}
