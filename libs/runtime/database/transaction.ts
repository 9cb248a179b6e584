import { setTimeout as delay } from 'node:timers/promises';
import mongoose, { type ClientSession } from 'mongoose';
import { tooLate } from './failure.ts';
import { databaseServer } from './server.ts';
import { patienceMs } from './writes/patience.ts';

/** MongoDB server error code (error_codes.yml). */
const INTERRUPTED = 11601;
const TRANSIENT = mongoose.mongo.MongoErrorLabel.TransientTransactionError;

/**
 * Runs `work` in one transaction, and again after a conflict. No attempt begins after the deadline; the driver's own retries would continue for two minutes,
 * as its `timeoutMS` has had no effect since 7.8. `work` may run several times: it must have no effect except through `tx`.
 * @param isStored whether the writes of `work` are stored, read outside the transaction; called if the server's reply to a commit cannot be trusted
 * @param next makes an attempt after one that met others: when it is its turn
 */
export async function transaction<T>(
  deadlineAtMs: number,
  work: (tx: ClientSession) => Promise<T>,
  isStored?: () => Promise<boolean>,
  next: Next<T> = (attempt) => attempt(),
): Promise<T> {
  for (;;) {
    try {
      const answer = await runOnce(deadlineAtMs, work, next);
      // A failed commit stored nothing, so all of it is run again.
      if (await databaseServer().isCommitted(isStored)) return answer;
    } catch (error) {
      // Others assumed that this process was dead and ended its session during a statement: the driver treats that as final.
      if (!(error instanceof mongoose.mongo.MongoServerError && error.code === INTERRUPTED)) throw error;
    }
  }
}

type Next<T> = (attempt: () => Promise<T>) => Promise<T>;

async function runOnce<T>(deadlineAtMs: number, work: (tx: ClientSession) => Promise<T>, next: Next<T>): Promise<T> {
  // Not causally consistent: a transaction reads committed data anyway, and not every server accepts the option that the driver would add.
  const session = await mongoose.startSession({ causalConsistency: false });
  let isEnded = true;
  try {
    await databaseServer().ownSession(session, deadlineAtMs);
    const inTime = async (tx: ClientSession) => {
      if (Date.now() >= deadlineAtMs) throw tooLate();
      try {
        return await work(tx);
      } catch (error) {
        const isMongos = error instanceof mongoose.mongo.MongoError;
        isEnded = isMongos ? false : await abort(tx);
        throw isMongos && error.hasErrorLabel(TRANSIENT) ? new Conflicted() : error;
      }
    };
    const options = {
      ...databaseServer().transactionOptions,
      writeConcern: { w: 'majority', journal: true },
    } as const;
    const make = () => session.withTransaction(inTime, options);
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await (attempt === 1 ? make() : next(make));
        isEnded = true;
        return answer;
      } catch (error) {
        if (!(error instanceof Conflicted)) throw error;
        await delay(patienceMs(attempt));
      }
    }
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoError) isEnded = false;
    throw error;
  } finally {
    await databaseServer().releaseSession(session, isEnded);
  }
}

/**
 * The driver would run `work` again itself, after pauses that grow to half a second: too long to find the moment in which nobody else is writing. Whoever changed the
 * columns or a budget of a busy board needed up to 9 s for some twenty attempts.
 */
class Conflicted extends Error {}

/**
 * Errors thrown by `work` are common, and must not cost a session. The driver aborts too, but does not say whether that reached the server.
 * @returns whether the server replied, so that nothing can be open
 */
async function abort(tx: ClientSession): Promise<boolean> {
  if (isUnknownToServer(tx)) return true;
  try {
    await mongoose.connection.getClient().db('admin').command({ abortTransaction: 1 }, { session: tx });
    return true;
  } catch (error) {
    return error instanceof mongoose.mongo.MongoServerError;
  }
}

/** Nothing has been sent in it yet. The driver knows, but has no public API for it. */
function isUnknownToServer(tx: ClientSession): boolean {
  return (tx as unknown as { readonly transaction: { readonly isStarting: boolean } }).transaction.isStarting;
}

/** Thrown from `work` to run it again: another transaction has changed what it relies on. */
export function conflict(): mongoose.mongo.MongoError {
  const error = new mongoose.mongo.MongoError('Another transaction has written the same.');
  error.addErrorLabel(TRANSIENT);
  return error;
}
