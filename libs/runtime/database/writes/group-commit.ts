import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { OperationError } from '@worktrack/contracts/errors';
import { databaseFailure, tooLate } from '../failure.ts';
import { transaction } from '../transaction.ts';
import { type Blame, flush } from './flush.ts';
import { Stale, type Statement } from './stale.ts';
import { inTurn } from './turns.ts';
import type { CommitOutcome, Filter, WriteSet } from './write-set.ts';

/** Concurrent transactions: while they are in progress, new writes accumulate for the next. More of them would mean smaller groups, each with its own commit. */
const MAX_GROUPS = 2;
/** A reasonable amount of work for one transaction, far below MongoDB's limit of 100 000 operations. */
const MAX_OPERATIONS = 500;
/** A group without a reply for this long (a silent connection, a server busy with something large) delays no others. */
const HELD_UP_MS = 500;
/** For so long a call lets those go first that met others before. Their turns take some 20 ms each. */
const GIVES_WAY_MS = 250;
/** For so long a turn keeps others from writing the same: longer than it takes on a busy machine, unless it hangs or has thousands to write. */
const TURN_MS = 2_000;

interface Queued {
  readonly writes: WriteSet;
  readonly deadlineAtMs: number;
  /** Whether it was stored, read outside the transaction. */
  readonly isStored: () => Promise<boolean>;
  readonly hasTurn: boolean;
  /** Until then it gives way to calls whose turn it is on the documents that it relies on. */
  readonly givesWayUntilMs: number;
  /** Commit it without others: it relies on documents that others in its transaction may change, or met a failure that they may have caused. */
  alone: boolean;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

interface Group {
  readonly members: readonly Queued[];
  readonly exclusive: Set<string>;
  readonly shared: Map<string, Filter>;
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** What those have written before that have their turn, and until when nobody else writes it. */
const turns = new Map<ReadonlySet<string>, number>();
const queue: Queued[] = [];
const underWay = new Set<Group>();
let heldUp = 0;
let isLookingAgain = false;

/**
 * Commits a call's writes together with those of concurrent calls: one transaction, one command and one journal sync for all of them (group commit, as
 * databases do with their logs). A lone call starts at once. Two calls that write the same document are never in one group nor in two concurrent ones. So calls
 * within a process do not conflict in the database; between replicas the database decides.
 * @throws Stale if something that the rule relied on no longer holds: run it again
 */
export function commitTogether(
  writes: WriteSet,
  deadlineAtMs: number,
  isStored: () => Promise<boolean>,
  hasTurn = false,
): Promise<void> {
  return new Promise((done, failed) => {
    const givesWayUntilMs = hasTurn ? 0 : Date.now() + GIVES_WAY_MS;
    const alone = writes.reliesOnCount;
    queue.push({ writes, deadlineAtMs, isStored, hasTurn, givesWayUntilMs, alone, done, failed });
    startGroups();
  });
}

/**
 * For a write that a service makes of its own accord, and makes again later if it was not stored. Those who wait for its outcome are told.
 * @returns false if something that it relied on no longer holds
 */
export async function commitUnlessStale(
  writes: WriteSet,
  deadlineAtMs: number,
  isStored: () => Promise<boolean>,
): Promise<boolean> {
  let outcome: CommitOutcome = 'unknown';
  try {
    // Nobody takes a turn for it, so it waits for none.
    await commitTogether(writes, deadlineAtMs, isStored, true);
    outcome = 'stored';
  } catch (error) {
    // If the reply to its commit was lost, it was sent again, and met itself.
    if (writes.isSent && (await isStored())) outcome = 'stored';
    else if (error instanceof Stale) outcome = 'stale';
    else throw error;
  } finally {
    writes.conclude(outcome);
  }
  return outcome === 'stored';
}

/**
 * The next attempt of a call that met others. It takes turns with calls that write the same documents, and waits until nobody is writing them. Meanwhile no
 * call starts that only relies on them: any number of those are committed at once, and each would change what this attempt reads.
 */
export async function nextAttempt<T>(keys: ReadonlySet<string>, work: () => Promise<T>): Promise<T> {
  try {
    return await inTurn(keys, async () => {
      turns.set(keys, Date.now() + TURN_MS);
      const groups = [...underWay].filter(({ exclusive, shared }) =>
        [...keys].some((key) => exclusive.has(key) || shared.has(key)),
      );
      await Promise.all(groups.map(({ promise }) => promise));
      return await work();
    });
  } finally {
    turns.delete(keys);
    startGroups();
  }
}

function startGroups(): void {
  while (queue.length > 0 && underWay.size - heldUp < MAX_GROUPS) {
    const group = nextGroup();
    if (!group) break;
    void run(group);
  }
  // A turn may take longer than who gives way to it waits, and nothing else says that their time is over.
  if (queue.length === 0 || turns.size === 0 || isLookingAgain) return;
  isLookingAgain = true;
  setTimeout(() => {
    isLookingAgain = false;
    startGroups();
  }, GIVES_WAY_MS).unref();
}

/** The first in the queue that can go, and all others that can go with it; undefined while each of them writes something that is being written. */
function nextGroup(): Group | undefined {
  const members: Queued[] = [];
  const exclusive = new Set<string>();
  const shared = new Map<string, Filter>();
  let operations = 0;
  const rest: Queued[] = [];
  for (const waiting of queue) {
    const { writes, alone, deadlineAtMs, hasTurn, givesWayUntilMs, failed } = waiting;
    if (Date.now() >= deadlineAtMs) {
      failed(tooLate());
      continue;
    }
    // A new call would be first each time, and those that have waited would wait until their deadline.
    if (!hasTurn && writesInTurn(writes)) {
      failed(new Stale());
      continue;
    }
    const fits = members.length === 0 || (!alone && !members[0]?.alone && operations + writes.size <= MAX_OPERATIONS);
    const isFree =
      fits &&
      !meets(writes, exclusive, shared) &&
      [...underWay].every((group) => isApart(writes, group)) &&
      (Date.now() >= givesWayUntilMs || !reliesOnTurns(writes));
    if (!isFree) {
      rest.push(waiting);
      continue;
    }
    members.push(waiting);
    operations += writes.size;
    for (const key of writes.exclusiveKeys) exclusive.add(key);
    for (const [key, filter] of writes.shared()) shared.set(key, filter);
  }
  queue.splice(0, queue.length, ...rest);
  if (members.length === 0) return undefined;
  return { members, exclusive, shared, ...Promise.withResolvers<void>() };
}

/** Whether what somebody has a turn for would change under them. */
function writesInTurn({ exclusiveKeys }: WriteSet): boolean {
  for (const [keys, endsAtMs] of turns) {
    if (Date.now() < endsAtMs) for (const key of exclusiveKeys) if (keys.has(key)) return true;
  }
  return false;
}

function reliesOnTurns(writes: WriteSet): boolean {
  if (turns.size === 0) return false;
  const all = [...turns.keys()];
  for (const [key] of writes.shared()) if (all.some((keys) => keys.has(key))) return true;
  return false;
}

/** Whether one transaction cannot hold both. */
function meets(writes: WriteSet, exclusive: ReadonlySet<string>, shared: ReadonlyMap<string, Filter>): boolean {
  for (const key of writes.exclusiveKeys) if (exclusive.has(key) || shared.has(key)) return true;
  for (const [key, filter] of writes.shared()) {
    if (exclusive.has(key)) return true;
    const other = shared.get(key);
    if (other && !isDeepStrictEqual(other, filter)) return true;
  }
  return false;
}

/** Whether two transactions would not conflict. */
function isApart(writes: WriteSet, { exclusive, shared }: Group): boolean {
  for (const key of writes.exclusiveKeys) if (exclusive.has(key) || shared.has(key)) return false;
  for (const [key] of writes.shared()) if (exclusive.has(key) || shared.has(key)) return false;
  return true;
}

/** Thrown out of a transaction to abort it. */
class Blamed extends Error {
  readonly blame: Blame;
  constructor(blame: Blame) {
    super('Not all writes of the transaction can be made.');
    this.blame = blame;
  }
}

async function run(group: Group): Promise<void> {
  underWay.add(group);
  const ended = new AbortController();
  const watch = countWhileHeldUp(ended.signal);
  try {
    await commit(group.members);
    for (const { done } of group.members) done();
  } catch (error) {
    fail(group.members, error);
  } finally {
    ended.abort();
    await watch;
    underWay.delete(group);
    group.resolve();
    startGroups();
  }
}

async function countWhileHeldUp(ended: AbortSignal): Promise<void> {
  try {
    await delay(HELD_UP_MS, undefined, { signal: ended, ref: false });
  } catch {
    return;
  }
  heldUp++;
  startGroups();
  await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }));
  heldUp--;
}

async function commit(members: readonly Queued[]): Promise<void> {
  const sets = members.map(({ writes }) => writes);
  const deadlineAtMs = Math.max(...members.map((member) => member.deadlineAtMs));
  await transaction(
    deadlineAtMs,
    async (session) => {
      const blame = await flush(session, sets);
      if (blame.size > 0) throw new Blamed(blame);
    },
    // Either all of them are stored, or none.
    members[0]?.isStored,
  );
}

/**
 * The call at fault gets the error, and the others continue without it. A failure of the database is everybody's: trying again would take each of them to its
 * deadline. If a failure does not say whose it is, each is tried alone.
 */
function fail(members: readonly Queued[], error: unknown): void {
  const again: Queued[] = [];
  const untrue: Statement[] = [];
  for (const member of members) {
    const own = error instanceof Blamed ? error.blame.get(member.writes) : undefined;
    if (own) {
      member.failed(own);
      if (own instanceof Stale && own.untrue) untrue.push(own.untrue);
    } else if (members.length === 1) member.failed(error instanceof Blamed ? new Stale() : error);
    else if (error instanceof OperationError || databaseFailure(error)) member.failed(error);
    else {
      if (!(error instanceof Blamed)) member.alone = true;
      again.push(member);
    }
  }
  // Whoever waits and relies on the same would only find it out in a transaction of its own, one after the other.
  for (const waiting of queue.splice(0)) {
    if (untrue.some((statement) => waiting.writes.states(statement))) waiting.failed(new Stale());
    else queue.push(waiting);
  }
  queue.unshift(...again);
}
