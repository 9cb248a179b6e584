import type { Log } from '@worktrack/rpc/types';
import { commitAlone, type TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import { commitUnlessStale } from '@worktrack/runtime/database/writes/group-commit';
import { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import { sweepEvery } from '@worktrack/runtime/process/sweep-every';
import type { BoardRecord } from '../boards/boards.model.ts';
import { boardOf, boardsWith } from '../boards/boards.repository.ts';
import { roleAt } from '../boards/columns.ts';
import { isDone, isHandedOver, isMet } from '../boards/progress.ts';
import type { WriteScope } from '../calls/scope.ts';
import { asRead } from '../items/grounds.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { findItem, findOutlines } from '../items/items.repository.ts';
import { dependentsInBrief, itemsCrossed } from './crossed.repository.ts';
import { byReference, changeIn, follow, followersAmong, portions } from './dependents.ts';
import { tellLate, untoldOf } from './returned-bases.ts';

const SWEEP_INTERVAL_MS = 3_000;
const AT_ONCE = 10;
const DEADLINE_MS = 10_000;
/** For so long one replica does this for an item. If it ends meanwhile, another goes on then. */
const TAKEN_MS = 60_000;

/** Lets those follow that depend on a moved item and were too many to do so with it (dependents.ts). */
export function sweepLateDependents(log: Log): { stop(): Promise<void> } {
  return sweepEvery(SWEEP_INTERVAL_MS, {
    log,
    sweep: () => catchUp(new Date()),
    failed: 'Could not let dependents follow an item that was moved; trying again',
  });
}

/** Not in a transaction. */
type Outside = Pick<WriteScope, 'caller'>;

export async function catchUp(now: Date): Promise<void> {
  for (const item of await itemsCrossed(now, AT_ONCE)) {
    const crossed = item.crossed && { ...item.crossed, dueAt: new Date(now.getTime() + TAKEN_MS) };
    if (crossed && (await save(item, crossed))) await letFollow(scopeOf(item), item._id);
  }
}

async function letFollow(scope: Outside, id: string): Promise<void> {
  for (;;) {
    const item = await findItem(scope, id);
    const board = item && (await boardsWith(scope, [item])).get(item.boardId);
    if (!item?.crossed || !board) return;
    const crossed = asItIs(item, board);
    const dependents = await dependentsInBrief(scope, [...crossed.keys()]);
    const late = dependents.filter((dependent) => changeIn(dependent, crossed)).map(({ _id }) => _id);
    const untold = late.length === 0 && returnOf(item, board) ? await untoldOf(scope, item) : [];
    // Whoever depends on it since has relied on where it is, which is a write of the item.
    if (late.length === 0 && untold.length === 0 && (await save(item, null))) return;
    for (const some of portions(late)) {
      await withItem(scope, id, async (own, { item: now, board: on }) =>
        follow(own, followersAmong(own, await findOutlines(own, some), asItIs(now, on))),
      );
    }
    for (const some of portions(untold)) {
      await withItem(scope, id, async (own, { item: now, board: on }) => {
        const why = returnOf(now, on);
        if (why) await tellLate(own, now, why, some);
      });
    }
  }
}

/** It may have been handed over again since: then nobody need hear of it any more. */
const returnOf = ({ crossed, boardColumnId }: ItemRecord, board: BoardRecord) =>
  isHandedOver(roleAt(board, boardColumnId)) ? undefined : crossed?.returned;

/** Where the item is now: it may have been moved again. */
async function withItem(
  scope: Outside,
  id: string,
  write: (
    own: WriteScope & TransactionScope,
    found: { readonly item: ItemRecord; readonly board: BoardRecord },
  ) => Promise<void>,
): Promise<void> {
  let read: ItemRecord | null = null;
  await commitAlone(
    async (transaction) => {
      const own = { ...scope, ...transaction };
      const item = await findItem(own, id);
      read = item;
      if (!item) return;
      own.writes.rely(asRead(item), 'exclusive');
      await write(own, { item, board: await boardOf(own, item) });
    },
    { isStored: async () => (await findItem(scope, id))?.revision !== read?.revision },
  );
}

function asItIs(item: ItemRecord, board: BoardRecord) {
  const role = roleAt(board, item.boardColumnId);
  return byReference([{ item, isMet: isMet(role, board), isDone: isDone(role) }]);
}

/** @returns false if it was written meanwhile */
function save(item: ItemRecord, crossed: ItemRecord['crossed']): Promise<boolean> {
  const writes = new WriteSet();
  writes.update(ItemModel, asRead(item).filter, { once: { revision: 1 }, set: { crossed } });
  return commitUnlessStale(writes, Date.now() + DEADLINE_MS, async () => {
    const there = await findItem(scopeOf(item), item._id);
    return there?.crossed?.dueAt.getTime() === crossed?.dueAt.getTime();
  });
}

/** Of whoever moved it. */
function scopeOf({ organizationId, crossed }: Pick<ItemRecord, 'organizationId' | 'crossed'>) {
  return { caller: { organizationId, userId: crossed?.userId ?? '', keyId: crossed?.keyId ?? '' } };
}
