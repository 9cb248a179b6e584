import type { ClientSession } from 'mongoose';
import type { Scope, WriteScope } from '../scope.ts';
import { GuardModel, type GuardRecord } from './guards.model.ts';

/**
 * A lock of a board's columns, shared by the transactions that put items into them and exclusive for the one that removes a column.
 * The database has no shared locks, and under snapshot isolation both would see the state before the other and commit: an item in
 * a column that is gone. So a board has SLOTS records; to share is to write one of them, to exclude is to write all.
 * One record for all would serialise every move of a board: with 32 writers that was 57 moves/s with waits of up to 6 s, against
 * 173/s and 0.7 s with slots picked at random.
 */
const SLOTS = 64;

const idOf = (boardId: string, slot: number) => `${boardId}:${slot}`;

export async function makeGuards({ caller, tx }: WriteScope, boardId: string): Promise<void> {
  const guards: GuardRecord[] = Array.from({ length: SLOTS }, (_, slot) => {
    return { _id: idOf(boardId, slot), organizationId: caller.organizationId, boardId, uses: 0 };
  });
  await GuardModel.insertMany(guards, { session: tx, lean: true });
}

/** Until this transaction ends the board's columns stay. */
export async function shareColumns({ caller, tx }: WriteScope, boardIds: Iterable<string>): Promise<void> {
  const slot = slotOf(tx);
  for (const boardId of new Set(boardIds)) {
    await write({ caller, tx }, { _id: idOf(boardId, slot) });
  }
}

/** Until this transaction ends nothing is put into the board's columns. */
export async function excludeFromColumns(scope: WriteScope, boardId: string): Promise<void> {
  await write(scope, { boardId });
}

async function write({ caller, tx }: Scope, which: Pick<GuardRecord, '_id'> | Pick<GuardRecord, 'boardId'>) {
  const { organizationId } = caller;
  await GuardModel.updateMany({ organizationId, ...which }, { $inc: { uses: 1 } }, { session: tx });
}

/** The transactions of one process never meet in a slot, as long as there are slots; those of several replicas rarely do. */
const free = shuffled(Array.from({ length: SLOTS }, (_, slot) => slot));
const held = new WeakMap<ClientSession, number>();

function slotOf(tx: ClientSession): number {
  const mine = held.get(tx);
  if (mine !== undefined) return mine;
  const slot = free.pop();
  if (slot === undefined) return Math.floor(Math.random() * SLOTS);
  held.set(tx, slot);
  tx.once('ended', () => free.push(slot));
  return slot;
}

function shuffled<T>(values: T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
