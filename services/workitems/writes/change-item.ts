import type { PreviousWork } from '@worktrack/contracts/work-items/agents/leases';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import type { BoardRecord } from '../boards/boards.model.ts';
import { roleAt } from '../boards/columns.ts';
import { countMove } from '../boards/tallies.repository.ts';
import type { WriteScope } from '../calls/scope.ts';
import { type NewEvent, record } from '../history/history.repository.ts';
import { afterChange, type ItemChanges } from '../items/after-change.ts';
import { attentionAfter, blockedAfter, needUnder } from '../items/attention.ts';
import { asRead, type ReadItem } from '../items/grounds.ts';
import { type Attention, ItemModel, type ItemRecord } from '../items/items.model.ts';

import type { Abandoned, LeaseRecord } from '../items/lease.model.ts';
import type { ItemOutline } from '../items/shown/views.ts';
import { tellAttention } from './attention.ts';
import { abandoned, hasEnded, recordExpiry } from './ended-lease.ts';
import { followReadiness, forgetReadiness } from './ready.ts';
import { keepSoFar, soFarOf } from './so-far.ts';

/** An item as it was read, with enough to report it. */
export type ToldItem = ReadItem & Pick<ItemRecord, 'taskId' | 'projectId' | 'title' | 'lease'>;
type Task = ToldItem & Omit<ItemOutline, 'organizationId'>;

/** After any write, which increments its revision by one. */
export const written = <Item extends ReadItem>(item: Item): Item => ({ ...item, revision: item.revision + 1 });

export function insertItem(
  scope: WriteScope,
  given: ItemRecord,
  board: BoardRecord,
  events: readonly NewEvent[],
): void {
  const attention = attentionAfter(null, given, roleAt(board, given.boardColumnId));
  const item = { ...given, ...attention };
  countMove(scope, board, undefined, item.boardColumnId);
  const { projectId, externalId } = item;
  if (externalId !== undefined) scope.writes.claim(ItemModel, `${projectId} ${externalId}`);
  // If several were created at once with one external id, the others find it when they run again.
  scope.writes.insert(ItemModel, item, externalId === undefined ? undefined : () => new Stale());
  record(scope, item, events);
  tellAttention(scope, item, null, attention);
  followReadiness(scope, null, item);
}

/**
 * The one way to change an item: it increments `version` and takes the events that say what changed. What the change means for its column's
 * count, and for who may claim it, is written with it.
 * @returns the item as it is afterwards
 */
export function changeItem<Item extends ItemOutline>(
  scope: WriteScope,
  read: Item,
  board: BoardRecord,
  changes: ItemChanges & {
    readonly 'metadata.aiProvider'?: string;
    readonly 'metadata.dependsOn'?: readonly unknown[];
  },
  events: readonly NewEvent[],
  /** For a lease that ends with the change. A completion itself reports what the work has used. */
  why: PreviousWork['endedBecause'] = 'moved',
): Item {
  const item = soFarOf(scope, read);
  const { after: changed, set } = afterChange(item, board, changes, why);
  const left = abandoned(scope, item, changed, why);
  const kept = abandonedAfter(item, changed, left.abandoned);
  const whole = { ...changed, ...kept };
  const attention = attentionAfter(item, whole, roleAt(board, whole.boardColumnId));
  const after = { ...whole, ...attention };
  countMove(scope, board, item.boardColumnId, after.boardColumnId);
  const isElsewhereInTree = changes.type !== undefined || changes.foundBy !== undefined;
  scope.writes.update(ItemModel, asRead(item).filter, {
    once: { version: 1, revision: 1, ...(isElsewhereInTree && { treeVersion: 1 }) },
    set: { ...set, ...kept, ...attention },
  });
  keepSoFar(scope, read, { ...set, ...kept, ...attention });
  if (hasEnded(item, after)) recordExpiry(scope, item);
  record(scope, { ...after, lease: item.lease }, [...events, ...left.events]);
  tellAttention(scope, after, item, attention);
  followReadiness(scope, item, after);
  return after;
}

/** The use that a lease leaves behind, for a late completion; the next claim begins anew. */
function abandonedAfter(
  item: Pick<ItemRecord, 'lease' | 'abandoned'>,
  after: Pick<ItemRecord, 'lease'>,
  left: Abandoned | undefined,
): Pick<ItemRecord, 'abandoned'> {
  const isClaimed = !!after.lease && hasEnded(item, after);
  if (isClaimed) return item.abandoned ? { abandoned: null } : {};
  return left ? { abandoned: left } : {};
}

/** What changes in an item without being a change in its own right: nothing that `version` counts. */
export function adjustItem(
  scope: WriteScope,
  read: Task,
  set: Partial<
    Pick<
      ItemRecord,
      | 'lease'
      | 'abandoned'
      | 'isAiProcessing'
      | 'waitsFor'
      | 'claimOrder'
      | 'claimableFrom'
      | 'position'
      | 'childCount'
      | 'onReturnedBase'
      | 'needs'
      | 'blocked'
      | 'assigned'
    >
  >,
  events: readonly NewEvent[] = [],
): void {
  const item = soFarOf(scope, read);
  const after = { ...written(item), ...set };
  const attention = { ...blockedAfter(item, after), ...attentionIn(set) };
  scope.writes.update(ItemModel, asRead(item).filter, { once: { revision: 1 }, set: { ...set, ...attention } });
  keepSoFar(scope, read, { ...set, ...attention });
  record(scope, written(item), events);
  tellAttention(scope, after, item, attention);
  followReadiness(scope, item, after);
}

function attentionIn({ needs, blocked, assigned }: Partial<ItemRecord>): Partial<Attention> {
  return {
    ...(needs !== undefined && { needs }),
    ...(blocked !== undefined && { blocked }),
    ...(assigned !== undefined && { assigned }),
  };
}

/** A lease that is renewed. Not counted as a change to the item: it is the agent's business, and happens all the time. */
export function renewLease(scope: WriteScope, item: Task, lease: LeaseRecord, events: readonly NewEvent[] = []): void {
  const needs = needUnder(lease, new Date());
  const isOther = needs?.kind !== item.needs?.kind || needs?.since.getTime() !== item.needs?.since.getTime();
  const claimableFrom = item.claimableFrom && { claimableFrom: lease.expiresAt };
  adjustItem(scope, item, { lease, ...claimableFrom, ...(isOther && { needs }) }, events);
}

export function removeItem(scope: WriteScope, item: ItemRecord, board: BoardRecord, events: readonly NewEvent[]): void {
  countMove(scope, board, item.boardColumnId, undefined);
  scope.writes.remove(ItemModel, asRead(item).filter);
  recordExpiry(scope, item);
  record(scope, written(item), events);
  forgetReadiness(scope, item._id);
}
