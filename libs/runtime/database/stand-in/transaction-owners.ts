import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@worktrack/rpc/types';
import mongoose, { type ClientSession } from 'mongoose';
import { Silence } from '../../process/silence.ts';
import { answered } from '../answered.ts';
import { TransactionOwnerModel, type TransactionOwnerRecord } from './transaction-owners.model.ts';

const BEAT_MS = 1_000;
/** A process that has opened no transaction for this many beats is no owner until it opens one, and need not beat. */
const QUIET_BEATS = 5;
/** As long as nobody owns anything it looks for others only at each third beat. What it finds then has fallen silent after seven seconds at most. */
const BEATS_PER_QUIET_LOOK = 3;
/**
 * How often a heartbeat is found unchanged until it counts as stopped. At one a second this is well below a call's deadline, so calls waiting for what a dead
 * process holds still succeed.
 */
const SILENT_LOOKS = 4;
/**
 * How many times to end the session of a transaction that may still be open. Once would do for a lost abort; but a stalled database may, once it
 * resumes, first read what was sent to it before, and open the transaction again.
 */
const DOUBTFUL_BEATS = 5;
/** Same as the driver's pool: a session that was idle this long is not used again. */
const SESSION_IDLE_MS = 30 * 60_000;

/**
 * A process that is killed or frozen in the middle of a transaction leaves it open, and its writes locked. Every other write to those documents conflicts until
 * the server ends the transaction after 60 s (`transactionLifetimeLimitSeconds`, which not every server supports). So each process that uses transactions
 * records its sessions and sends a heartbeat. When a process's heartbeat stops, the others end its sessions. And a process that keeps running ends again what
 * it aborted while the server was unreachable.
 *
 * Being wrong about it is harmless: a process that was only slow finds its transaction aborted, with nothing stored, and runs it again.
 */
class TransactionOwners {
  readonly #id = randomUUID();
  readonly #log: Log;
  /** When each session was last used, by the monotonic clock. */
  readonly #sessions = new Map<string, number>();
  /** The sessions whose transaction may still be open, and how many more heartbeats will end it. Until then the driver does not get them back. */
  readonly #doubtful = new Map<ClientSession, number>();
  readonly #others = new Silence(SILENT_LOOKS);
  /** Those that were reported, since they cannot be ended. */
  readonly #complained = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  /** Transactions in progress. */
  #open = 0;
  /** Since the last transaction. */
  #quietBeats = QUIET_BEATS;
  #isRecorded = false;
  /** Of the last look. */
  #hasOthers = false;
  #beats = 0;
  #beaten: Promise<void> = Promise.resolve();
  /** One that has not started, and so will include all sessions known by then. */
  #nextBeat: Promise<void> | undefined;

  /** On mongoose's default connection, which must be open. */
  constructor(log: Log) {
    this.#log = log;
    this.#running = this.#run();
  }

  /**
   * To be awaited before the first write of each transaction, and followed by `over`. Costs a write if the session is new to this process, which is rare:
   * they are pooled.
   * @throws the same as when the database is unavailable, at the transaction's deadline at the latest
   */
  async own(session: ClientSession, deadlineAtMs: number): Promise<void> {
    this.#open++;
    this.#quietBeats = 0;
    const uuid = uuidOf(session);
    const isNew = !this.#sessions.has(uuid);
    this.#sessions.set(uuid, performance.now());
    if (!isNew) return;
    try {
      await answered(() => this.#beat(), deadlineAtMs - Date.now());
    } catch (error) {
      this.#sessions.delete(uuid);
      throw error;
    }
  }

  /** Whatever the outcome of a transaction, no more is sent in it. */
  over(): void {
    this.#open--;
  }

  /**
   * After a transaction that the server may not have aborted. Its session stays out of the driver's pool until that is certain: anything
   * in progress on it when it is ended fails.
   */
  doubt(session: ClientSession): void {
    this.#doubtful.set(session, DOUBTFUL_BEATS);
  }

  /** Once no transaction is open any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    for (const session of this.#doubtful.keys()) await session.endSession();
    // If the database is unavailable too, the others find out from the heartbeat.
    await forget({ _id: this.#id }).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let beat = 0; !signal.aborted; beat++) {
      try {
        const isQuiet = this.#isQuiet();
        if (!isQuiet) await this.#beat();
        else if (this.#isRecorded) await this.#withdraw();
        await this.#endDoubtful();
        if (!isQuiet || this.#hasOthers || beat % BEATS_PER_QUIET_LOOK === 0) await this.#watch();
      } catch {
        // The database is unavailable, which is reported elsewhere. A later heartbeat will reach it.
      }
      await delay(BEAT_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  #isQuiet(): boolean {
    if (this.#open > 0 || this.#doubtful.size > 0) return false;
    return ++this.#quietBeats > QUIET_BEATS;
  }

  /** In turn with the heartbeats, so that a session that is used again meanwhile is recorded after it. */
  #withdraw(): Promise<void> {
    this.#sessions.clear();
    const withdrawn = this.#beaten.then(async () => {
      // One that arrives late leaves the record of a later heartbeat alone.
      await forget({ _id: this.#id, beat: this.#beats });
      this.#isRecorded = false;
    });
    this.#beaten = withdrawn.catch(() => undefined);
    return withdrawn;
  }

  /** One at a time, so that sessions that arrive while one is in progress share the next. */
  #beat(): Promise<void> {
    this.#nextBeat ??= this.#beaten.then(() => {
      this.#nextBeat = undefined;
      return this.#write();
    });
    this.#beaten = this.#nextBeat.catch(() => undefined);
    return this.#nextBeat;
  }

  async #write(): Promise<void> {
    const now = performance.now();
    for (const [uuid, usedAt] of this.#sessions) if (now - usedAt > SESSION_IDLE_MS) this.#sessions.delete(uuid);
    const beat = ++this.#beats;
    this.#isRecorded = true;
    const sessions = [...this.#sessions.keys()];
    await answered(async (options) => {
      // An abandoned one may still arrive, after a newer one: it then changes nothing. Not an upsert: SecantusDB 0.6 overwrites an existing
      // record that does not match, where MongoDB rejects a second one.
      const older = { _id: this.#id, beat: { $lte: beat } };
      const { matchedCount } = await owners().updateOne(older, { $set: { beat, sessions } }, options);
      if (matchedCount === 0) await owners().insertOne({ _id: this.#id, beat, sessions }, options);
    });
  }

  async #endDoubtful(): Promise<void> {
    await endSessions([...this.#doubtful.keys()].map(uuidOf));
    for (const [session, beats] of this.#doubtful) {
      if (beats > 1) this.#doubtful.set(session, beats - 1);
      else {
        this.#doubtful.delete(session);
        await session.endSession();
      }
    }
  }

  async #watch(): Promise<void> {
    const found = await answered((options) => owners().find({}, options).toArray());
    const others = new Map(found.flatMap((owner) => (owner._id === this.#id ? [] : [[owner._id, owner]])));
    this.#hasOthers = others.size > 0;
    const silent = this.#others.look(new Map([...others].map(([id, { beat }]) => [id, beat])));
    for (const id of silent) {
      const owner = others.get(id);
      if (owner) await this.#end(owner);
    }
  }

  async #end({ _id, beat, sessions }: TransactionOwnerRecord): Promise<void> {
    try {
      await endSessions(sessions);
      // A process that was frozen and resumes records itself again with its next heartbeat.
      await forget({ _id, beat });
      this.#complained.delete(_id);
      this.#log.warn(
        { process: _id, sessions: sessions.length },
        'Ended the transactions of a process that fell silent',
      );
    } catch (error) {
      if (!this.#complained.has(_id)) {
        this.#log.error({ process: _id, error }, 'The transactions of a process that fell silent cannot be ended');
      }
      this.#complained.add(_id);
    }
  }
}

/** For the open connection, if its server needs it. */
let running: TransactionOwners | undefined;

/** @returns a function that stops it */
export function watchOwners(log: Log): () => Promise<void> {
  const owner = new TransactionOwners(log);
  running = owner;
  return async () => {
    running = undefined;
    await owner.stop();
  };
}

/** To be awaited before the first write of each transaction: see TransactionOwners.own. */
export async function ownSession(session: ClientSession, deadlineAtMs: number): Promise<void> {
  await running?.own(session, deadlineAtMs);
}

/** After each transaction. @param isOver false: it may still be open on the server, and its session is not ended yet */
export async function releaseSession(session: ClientSession, isOver: boolean): Promise<void> {
  running?.over();
  if (running && !isOver) running.doubt(session);
  else await session.endSession();
}

/** Bypasses the model, which supports neither operators in a filter nor a signal. */
const owners = (): mongoose.mongo.Collection<TransactionOwnerRecord> =>
  mongoose.connection.collection<TransactionOwnerRecord>(TransactionOwnerModel.collection.collectionName);

async function forget(which: Partial<TransactionOwnerRecord>): Promise<void> {
  await answered((options) => owners().deleteOne(which, options));
}

function uuidOf(session: ClientSession): string {
  const uuid = (session.id as { readonly id?: mongoose.mongo.Binary } | undefined)?.id;
  if (!uuid) throw new Error('A session of the driver has an id.');
  return uuid.toUUID().toHexString();
}

async function endSessions(uuids: readonly string[]): Promise<void> {
  if (uuids.length === 0) return;
  const killSessions = uuids.map((uuid) => ({ id: new mongoose.mongo.UUID(uuid) }));
  await answered(async (options) => mongoose.connection.getClient().db('admin').command({ killSessions }, options));
}
