import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardsForWrite } from '../boards/boards.repository.ts';
import { isDone, isMet, type Role } from '../boards/progress.ts';
import type { WriteScope } from '../calls/scope.ts';
import { claimable } from '../items/claimable.ts';
import { asRead } from '../items/grounds.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { dependentsOf, findItem, findOutlines } from '../items/items.repository.ts';
import type { ItemOutline } from '../items/shown/views.ts';
import { adjustItem } from '../writes/change-item.ts';
import { soFarOf } from '../writes/so-far.ts';

/** An item that has moved to another column, or was deleted, and what that means for its dependents. */
export interface Crossing {
  readonly item: Pick<ItemOutline, '_id' | 'taskId' | 'projectId'>;
  readonly isMet: boolean;
  readonly isDone: boolean;
}

/** @param before the board before the write, if that changes it */
export function crossing(item: Crossing['item'], board: BoardRecord, from: Role, to: Role, before = board): Crossing[] {
  const after = { item, isMet: isMet(to, board), isDone: isDone(to) };
  return isMet(from, before) === after.isMet && isDone(from) === after.isDone ? [] : [after];
}

/**
 * Updates what the dependents of items that were handed over, or taken back, are waiting for. What is done counts no longer as sent back: no verdict on it will come.
 * @param changedBoards boards as they are after this write, if it changes them
 */
export async function followCrossings(
  scope: WriteScope,
  crossings: readonly Crossing[],
  changedBoards: ReadonlyMap<string, BoardRecord> = new Map(),
): Promise<void> {
  if (crossings.length === 0) return;
  const crossed = byReference(crossings);
  await follow(scope, await followersOf(scope, crossed), changedBoards);
}

/** Of more dependents so many follow at a time, each in a transaction of its own: one of thousands of writes would outlast the call and hold up the database. */
export const MAX_FOLLOWING_AT_ONCE = 500;
/** Longer than any call takes: then dependents that wait for a move that did not come need not. */
const ON_ITS_WAY_MS = 60_000;

/**
 * The same for moves. Of very many dependents, those that need no longer wait may follow later (catch-up.ts). Those that have to wait again do so before the move: none
 * of them can be claimed once it is stored.
 */
export async function followMoves(scope: WriteScope, crossings: readonly Crossing[]): Promise<void> {
  if (crossings.length === 0) return;
  const crossed = byReference(crossings);
  const followers = await followersOf(scope, crossed);
  const [waiting, free] = [followers.filter(({ mustWait }) => mustWait), followers.filter(({ mustWait }) => !mustWait)];
  if (waiting.length > MAX_FOLLOWING_AT_ONCE) {
    const takenBack = crossings.filter((each) => !each.isMet);
    for (const some of portions(waiting.map(({ dependent }) => dependent._id))) await waitAhead(scope, takenBack, some);
    // They have been written since they were read.
    throw new Stale();
  }
  const now = [...waiting, ...free].slice(0, MAX_FOLLOWING_AT_ONCE);
  await follow(scope, now);
  const late = new Set(free.slice(now.length - waiting.length).flatMap(({ dependent }) => dependent.dependsOn));
  for (const { item } of crossings)
    if (late.has(item._id) || late.has(item.taskId)) markCrossed(scope, item, new Date());
}

export function* portions<T>(all: readonly T[], size = MAX_FOLLOWING_AT_ONCE): Iterable<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

/** If the move does not come after all, they are found to be waiting for nothing. */
async function waitAhead(
  { tx: _, ...scope }: WriteScope,
  takenBack: readonly Crossing[],
  dependents: readonly string[],
): Promise<void> {
  let first: ItemOutline | undefined;
  await commitAlone(
    async (transaction) => {
      const own = { ...scope, ...transaction };
      const items = await findOutlines(
        own,
        takenBack.map(({ item }) => item._id),
      );
      first = items[0];
      for (const item of items) {
        own.writes.rely(asRead(item), 'exclusive');
        markCrossed(own, item, new Date(Date.now() + ON_ITS_WAY_MS));
      }
      await follow(own, followersAmong(own, await findOutlines(own, dependents), byReference(takenBack)));
    },
    { isStored: async () => !first || (await findItem(scope, first._id))?.revision !== first.revision },
  );
}

export function markCrossed(
  { caller, writes }: WriteScope,
  { _id }: Pick<ItemOutline, '_id'>,
  dueAt: Date,
  returned?: NonNullable<ItemRecord['crossed']>['returned'],
): void {
  const { organizationId, userId, keyId } = caller;
  const crossed = { dueAt, userId, keyId, ...(returned && { returned }) };
  writes.update(ItemModel, { organizationId, _id }, { set: { crossed } });
}

type ByReference = ReadonlyMap<string, Crossing>;

export function byReference(crossings: readonly Crossing[]): ByReference {
  return new Map(crossings.flatMap((each) => [[each.item._id, each] as const, [each.item.taskId, each] as const]));
}

interface Follower {
  readonly dependent: ItemOutline;
  readonly change: Pick<ItemOutline, 'waitsFor' | 'onReturnedBase'>;
  /** It may not be claimed any more. */
  readonly mustWait: boolean;
}

async function followersOf(scope: WriteScope, crossed: ByReference): Promise<Follower[]> {
  return followersAmong(scope, await dependentsOf(scope, [...crossed.keys()]), crossed);
}

/** Those that this changes. Their own dependencies may change in this write too. */
export function followersAmong(
  scope: WriteScope,
  dependents: readonly ItemOutline[],
  crossed: ByReference,
): Follower[] {
  return dependents.flatMap((dependent) => {
    const now = soFarOf(scope, dependent);
    const change = changeIn(now, crossed);
    return change
      ? [{ dependent, change, mustWait: change.waitsFor.some((each) => !now.waitsFor.includes(each)) }]
      : [];
  });
}

type Dependent = Pick<ItemOutline, 'projectId' | 'dependsOn' | 'waitsFor' | 'onReturnedBase'>;

/** @returns undefined: nothing changes */
export function changeIn(now: Dependent, crossed: ByReference): Follower['change'] | undefined {
  const waitsFor = now.dependsOn.filter((reference) => {
    const crossing = crossed.get(reference);
    if (crossing?.item.projectId !== now.projectId) return now.waitsFor.includes(reference);
    return !crossing.isMet;
  });
  const onReturnedBase = now.onReturnedBase?.filter(({ id }) => !crossed.get(id)?.isDone);
  const isSettled = onReturnedBase?.length !== now.onReturnedBase?.length;
  const isSame = waitsFor.length === now.waitsFor.length && waitsFor.every((each) => now.waitsFor.includes(each));
  return isSame && !isSettled ? undefined : { waitsFor, ...(isSettled && { onReturnedBase }) };
}

export async function follow(
  scope: WriteScope,
  followers: readonly Follower[],
  changedBoards: ReadonlyMap<string, BoardRecord> = new Map(),
): Promise<void> {
  const others = followers.map(({ dependent }) => dependent).filter(({ boardId }) => !changedBoards.has(boardId));
  const boards = new Map([...changedBoards, ...(await boardsForWrite(scope, others))]);
  for (const { dependent, change } of followers) {
    const item = { ...soFarOf(scope, dependent), ...change };
    const board = boards.get(item.boardId);
    // It was deleted, and then its board, in between.
    if (!board) throw new Stale();
    adjustItem(scope, dependent, { ...change, ...claimable(item, board) });
  }
}
