import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@worktrack/rpc/types';
import mongoose, { type ClientSession } from 'mongoose';
import { answered } from '../answered.ts';
import { TransactionOwnerModel, type TransactionOwnerRecord } from './transaction-owners.model.ts';

const BEAT_MS = 1_000;
/**
 * Looks at an unchanged heartbeat, each after a heartbeat of our own, until it counts as stopped: so a database that stood still stops nobody's. At one a
 * second it is well below the deadline of a call, so who waits for what a dead process holds is answered all the same.
 */
const SILENT_LOOKS = 4;
/**
 * So often the session of a transaction that may still be open is ended. Once would do for an abort that was lost; but a database that stood still may, once it goes
 * on, first read what was sent to it before, and open the transaction again.
 */
const DOUBTFUL_BEATS = 5;
/** As the driver's pool: a session that was idle for so long is not used again. */
const SESSION_IDLE_MS = 30 * 60_000;

/**
 * A process that is killed, or stands still, in the middle of a transaction leaves it open, and what it wrote locked: every other write of those
 * documents conflicts until the server ends the transaction, after 60 s (`transactionLifetimeLimitSeconds`, which not every server can be told).
 * So each process records its sessions and sends a heartbeat. When the heartbeat of a process stops, the others end its sessions.
 * And a process that runs on ends again what it aborted while the server could not be reached.
 *
 * To be wrong about it is harmless: a process that was only slow finds its transaction aborted, with nothing stored, and runs it again.
 */
class TransactionOwners {
  readonly #id = randomUUID();
  readonly #log: Log;
  /** When each session was used last, by the monotonic clock. */
  readonly #sessions = new Map<string, number>();
  /** The sessions whose transaction may still be open, and how many heartbeats will still end it. The driver does not get them back before. */
  readonly #doubtful = new Map<ClientSession, number>();
  readonly #others = new Map<string, Watched>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #beats = 0;
  #beaten: Promise<void> = Promise.resolve();
  /** One that has not begun, and so will name all sessions that are known by then. */
  #nextBeat: Promise<void> | undefined;

  /** On mongoose's default connection, which must be open. */
  constructor(log: Log) {
    this.#log = log;
    this.#running = this.#run();
  }

  /**
   * To be awaited before the first write of each transaction. Costs a write where the session is new to this process, which is seldom: they are pooled.
   * @throws as when the database is unavailable, at the deadline of the transaction at the latest
   */
  async own(session: ClientSession, deadlineAtMs: number): Promise<void> {
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

  /**
   * After a transaction of which it is not known that the server aborted it. Its session stays out of the driver's pool until it is known: whatever
   * is under way by it when it is ended fails.
   */
  doubt(session: ClientSession): void {
    this.#doubtful.set(session, DOUBTFUL_BEATS);
  }

  /** Once no transaction is open any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    for (const session of this.#doubtful.keys()) await session.endSession();
    // Where the database is unavailable too, the others find out by the heartbeat.
    await forget({ _id: this.#id }).catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#beat();
        await this.#endDoubtful();
        await this.#watch();
      } catch {
        // The database is unavailable, which is told elsewhere. It can be reached again at a later heartbeat.
      }
      await delay(BEAT_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** One at a time, so that sessions that come while one is under way share the next. */
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
    const sessions = [...this.#sessions.keys()];
    await answered(async (options) => {
      // One that was given up may still arrive, after a newer: it then changes nothing. Not an upsert: SecantusDB 0.6 writes over a record that is
      // there and does not match, where MongoDB refuses a second one.
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
    const seen = new Set(found.map(({ _id }) => _id));
    for (const id of this.#others.keys()) if (!seen.has(id)) this.#others.delete(id);
    for (const { _id, beat, sessions } of found) {
      if (_id === this.#id) continue;
      const other = this.#others.get(_id);
      if (other?.beat !== beat) {
        this.#others.set(_id, { beat, looks: 0, complained: false });
        continue;
      }
      other.looks++;
      if (other.looks >= SILENT_LOOKS) await this.#end({ _id, beat, sessions }, other);
    }
  }

  async #end({ _id, beat, sessions }: TransactionOwnerRecord, watched: Watched): Promise<void> {
    try {
      await endSessions(sessions);
      // One that stood still and goes on records itself again with its next heartbeat.
      await forget({ _id, beat });
      this.#log.warn(
        { process: _id, sessions: sessions.length },
        'Ended the transactions of a process that fell silent',
      );
    } catch (error) {
      if (!watched.complained) {
        this.#log.error({ process: _id, error }, 'The transactions of a process that fell silent cannot be ended');
      }
      watched.complained = true;
    }
  }
}

interface Watched {
  readonly beat: number;
  /** How often it was looked at since, and had not changed. */
  looks: number;
  complained: boolean;
}

/** Of the connection that is open, where its server needs it. */
let running: TransactionOwners | undefined;

/** @returns what stops it */
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

/** In place of ending a session whose transaction may still be open. */
export async function doubtSession(session: ClientSession): Promise<void> {
  if (running) running.doubt(session);
  else await session.endSession();
}

/** Past the model, which knows no operators in a filter and no signal. */
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
