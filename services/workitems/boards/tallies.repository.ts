import type { TransactionScope } from '@worktrack/runtime/database/writes/commit-alone';
import type { Change } from '@worktrack/runtime/database/writes/write-set';
import type { Scope, WriteScope } from '../calls/scope.ts';
import type { BoardRecord } from './boards.model.ts';
import { TallyModel, type TallyRecord } from './tallies.model.ts';

/**
 * How many items each column of a board holds, and the board's version, in SLOTS records per board. Every write that puts an item into a column, or relies
 * on a column's name, goes through one of them. It states in its filter which version of the board it knows. So
 * - changing the columns raises the version in all slots, and every write that knew the older one runs again;
 * - totals are exact, at the cost of reading SLOTS records;
 * - replicas do not conflict, because each process has its own slot, chosen at random. It takes another one whenever one of its own writes had to run again,
 *   since another replica may have the same. Two that stayed in one made each other's writes run again for as long as they ran: of 16 callers' claims, one in a
 *   hundred took 5 s (`npm test -- test/model/concurrent`).
 */
const SLOTS = 16;
let ownSlot = Math.floor(Math.random() * SLOTS);

function leave(slot: number): void {
  // Of the writes that have met somebody in it, the first leaves.
  if (slot === ownSlot) ownSlot = (slot + 1 + Math.floor(Math.random() * (SLOTS - 1))) % SLOTS;
}

/** The tallies of one board, or of all boards of a project. */
type OfBoards = { readonly boardId: string } | { readonly projectId: string };

const idOf = (boardId: string, slot: number) => `${boardId}:${slot}`;

export function newTallies({ organizationId, projectId, _id: boardId, columnsVersion }: BoardRecord): TallyRecord[] {
  return Array.from({ length: SLOTS }, (_, slot) => {
    return { _id: idOf(boardId, slot), organizationId, projectId, boardId, columnsVersion, counts: {} };
  });
}

export async function makeTallies({ tx }: Required<Pick<Scope, 'tx'>>, board: BoardRecord): Promise<void> {
  await TallyModel.insertMany(newTallies(board), { session: tx, lean: true });
}

/** On the board's having the columns that the write knows. @param also what the write adds to the tally */
export function relyOnColumns(
  { writes }: Pick<WriteScope, 'writes'>,
  { organizationId, _id: boardId, columnsVersion }: Pick<BoardRecord, 'organizationId' | '_id' | 'columnsVersion'>,
  also: Pick<Change, 'inc'> = {},
): void {
  const slot = ownSlot;
  const filter = { organizationId, _id: idOf(boardId, slot), columnsVersion };
  writes.rely({ of: TallyModel, filter, counter: 'uses' }, 'shared', also);
  writes.afterwards((outcome) => {
    if (outcome === 'stale') leave(slot);
  });
}

/** @param from the column that the item leaves; undefined for a new item @param to the one that it enters; undefined for a deleted item */
export function countMove(
  scope: WriteScope,
  board: BoardRecord,
  from: string | undefined,
  to: string | undefined,
): void {
  const inc: Record<string, number> = {};
  if (from !== to) {
    if (from) inc[`counts.${from}`] = -1;
    if (to) inc[`counts.${to}`] = 1;
  }
  relyOnColumns(scope, board, { inc });
}

/**
 * The first step of a transaction that changes the columns, or anything else that boards tell writes by their version. Nothing that relies on the old version
 * can be stored any more. It holds all slots before it reads anything, and concurrent writes run again after it. A transaction that raised the version at its
 * end would keep losing to a busy board's writes, until its deadline (`MODEL_OPERATIONS=5000 npm test -- test/model/concurrent`).
 */
export async function holdColumns(
  { caller: { organizationId }, tx, writes }: TransactionScope & Pick<Scope, 'caller'>,
  which: OfBoards,
): Promise<void> {
  writes.claim(TallyModel, 'projectId' in which ? which.projectId : which.boardId);
  await TallyModel.updateMany({ organizationId, ...which }, { $inc: { columnsVersion: 1 } }, { session: tx });
}

/** @returns by column id; columns without items may be missing */
export async function countsOf({ caller, tx }: Scope, which: OfBoards): Promise<Map<string, number>> {
  const { organizationId } = caller;
  const tallies = await TallyModel.find({ organizationId, ...which }, { counts: 1 }, { session: tx }).lean<
    Pick<TallyRecord, 'counts'>[]
  >();
  const counts = new Map<string, number>();
  for (const tally of tallies) {
    for (const [columnId, count] of Object.entries(tally.counts)) {
      counts.set(columnId, (counts.get(columnId) ?? 0) + count);
    }
  }
  return counts;
}

/** How many items all boards of these projects hold: one query, and one row for an answer, however many they are. */
export async function countOfProjects({ caller }: Scope, projectIds: readonly (string | null)[]): Promise<number> {
  const [counted] = await TallyModel.aggregate<{ total: number }>([
    { $match: { organizationId: caller.organizationId, projectId: { $in: projectIds } } },
    { $project: { counts: { $objectToArray: '$counts' } } },
    { $unwind: '$counts' },
    { $group: { _id: null, total: { $sum: '$counts.v' } } },
  ]);
  return counted?.total ?? 0;
}

/** Writes that rely on these boards no longer match any of them. */
export async function removeTallies(
  { caller, tx }: TransactionScope & Pick<Scope, 'caller'>,
  which: OfBoards,
): Promise<void> {
  await TallyModel.deleteMany({ organizationId: caller.organizationId, ...which }, { session: tx });
}
