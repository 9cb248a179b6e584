import mongoose from 'mongoose';

/** The driver itself waits as long as the connection stands, and one that the network dropped without a word stands for many minutes. */
const ANSWER_TIMEOUT_MS = 2_000;

/** The types of the driver allow a signal for some operations only; all heed it. */
type Bounded = mongoose.mongo.OperationOptions & mongoose.mongo.Abortable;

/**
 * @param ask is to give its options to the driver, which then closes the connection that did not answer: the next command takes another
 * @throws MongoNetworkTimeoutError where there is no answer in time
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
