import { retract } from '@worktrack/runtime/database/outbox/outbox.repository';
import type { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import type { WriteScope } from '../calls/scope.ts';
import { type ToldItem, tell } from '../history/tell.ts';
import { isKnownClaimable } from '../items/claimable.ts';
import type { ItemRecord } from '../items/items.model.ts';

type Task = ToldItem & Pick<ItemRecord, 'claimOrder' | 'claimableFrom'>;

interface Readiness {
  /** Before the write. */
  readonly was: boolean;
  eventId: string | undefined;
}
const readinesses = new WeakMap<WriteSet, Map<string, Readiness>>();

/**
 * Reports that a task became claimable, once each time it does. A rule may write a task several times, and undo its first change: a batch moves a task and what
 * it depends on. So only the task's state before the whole write and after it counts.
 * @param before null: there was none
 */
export function followReadiness(scope: WriteScope, before: Task | null, after: Task): void {
  const now = new Date();
  const known = readinesses.get(scope.writes) ?? new Map<string, Readiness>();
  readinesses.set(scope.writes, known);
  const readiness = known.get(after._id) ?? {
    was: before !== null && isKnownClaimable(before, now),
    eventId: undefined,
  };
  known.set(after._id, readiness);
  if (!isKnownClaimable(after, now)) forgetReadiness(scope, after._id);
  else if (!readiness.was) {
    // Told last, after all that the write does with it.
    forgetReadiness(scope, after._id);
    readiness.eventId = tell(scope, after, 'work_item.ready', {});
  }
}

/** The task cannot be claimed after all, or is gone. */
export function forgetReadiness(scope: WriteScope, itemId: string): void {
  const readiness = readinesses.get(scope.writes)?.get(itemId);
  if (readiness?.eventId === undefined) return;
  retract(scope, readiness.eventId);
  readiness.eventId = undefined;
}
