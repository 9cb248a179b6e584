import mongoose from 'mongoose';

/** The driver itself waits as long as the connection is open, and one that the network silently dropped stays open for many minutes. */
const ANSWER_TIMEOUT_MS = 2_000;

/** The driver's types allow a signal for only some operations; all honour it. */
type Bounded = mongoose.mongo.OperationOptions & mongoose.mongo.Abortable;

/**
 * @param ask must pass its options to the driver, which then closes the unresponsive connection: the next command uses another one
 * @throws MongoNetworkTimeoutError if there is no reply in time
 */
export async function answered<T>(ask: (options: Bounded) => Promise<T>, timeoutMs = ANSWER_TIMEOUT_MS): Promise<T> {
  const late = new AbortController();
  const rejected = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new mongoose.mongo.MongoNetworkTimeoutError(`no answer for ${timeoutMs} ms`);
    late.abort(error);
    rejected.reject(error);
  }, timeoutMs);
  try {
    return await Promise.race([ask({ signal: late.signal }), rejected.promise]);
  } finally {
    clearTimeout(timer);
  }
}
