import mongoose, { type ClientSession } from 'mongoose';
import { tooLate } from './failure.ts';
import { serverCapabilities } from './server.ts';
import { doubtSession, ownSession } from './stand-in/transaction-owners.ts';

/** Code of MongoDB's servers (error_codes.yml). */
const INTERRUPTED = 11601;

/**
 * Runs `work` in one transaction; conflicts with others are retried with a jittered backoff by the driver, and no attempt begins after the
 * deadline (the driver's own would go on for two minutes: since 7.8 its `timeoutMS` has no effect). `work` may run several times: it must have no effect but through `tx`.
 * @param isStored whether what `work` wrote is there, read outside of the transaction; asked where the server's word on a commit cannot be trusted
 */
export async function transaction<T>(
  deadlineAtMs: number,
  work: (tx: ClientSession) => Promise<T>,
  isStored?: () => Promise<boolean>,
): Promise<T> {
  for (;;) {
    try {
      const answer = await runOnce(deadlineAtMs, work);
      // Nothing of a commit that failed is there, so all of it is run again.
      if (serverCapabilities().commitsAreReliable || !isStored || (await isStored())) return answer;
    } catch (error) {
      // Others took this process for dead and ended its session while a statement was under way: the driver takes that for final.
      if (!(error instanceof mongoose.mongo.MongoServerError && error.code === INTERRUPTED)) throw error;
    }
  }
}

async function runOnce<T>(deadlineAtMs: number, work: (tx: ClientSession) => Promise<T>): Promise<T> {
  // Not causally consistent: a transaction reads what is committed anyway, and the stand-in refuses what the driver would add to say so.
  const session = await mongoose.startSession({ causalConsistency: false });
  let isEnded = true;
  try {
    await ownSession(session, deadlineAtMs);
    const inTime = async (tx: ClientSession) => {
      if (Date.now() >= deadlineAtMs) throw tooLate();
      try {
        return await work(tx);
      } catch (error) {
        isEnded = error instanceof mongoose.mongo.MongoError ? false : await abort(tx);
        throw error;
      }
    };
    const answer = await session.withTransaction(inTime, {
      ...(serverCapabilities().takesReadConcerns && { readConcern: { level: 'snapshot' as const } }),
      writeConcern: { w: 'majority', journal: true },
    });
    isEnded = true;
    return answer;
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoError) isEnded = false;
    throw error;
  } finally {
    if (isEnded) await session.endSession();
    else await doubtSession(session);
  }
}

/**
 * What `work` refuses is common, and must cost no session. The driver aborts too, and does not tell whether that reached the server.
 * @returns whether the server answered, so that nothing can be open
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

/** Nothing was sent in it yet. The driver knows, and has no public word for it. */
function isUnknownToServer(tx: ClientSession): boolean {
  return (tx as unknown as { readonly transaction: { readonly isStarting: boolean } }).transaction.isStarting;
}

/** To be thrown from `work` for it to be run again: another transaction has changed what it relies on. */
export function conflict(): mongoose.mongo.MongoError {
  const error = new mongoose.mongo.MongoError('Another transaction has written the same.');
  error.addErrorLabel(mongoose.mongo.MongoErrorLabel.TransientTransactionError);
  return error;
}
