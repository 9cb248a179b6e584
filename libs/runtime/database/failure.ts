import { OperationError } from '@worktrack/contracts/errors';
import mongoose from 'mongoose';

const RETRY_AFTER_SECONDS = 2;
/** Codes of MongoDB's servers (error_codes.yml). */
const INTERNAL_ERROR = 1;
const OUT_OF_DISK_SPACE = 14031;

/** Of the driver and of mongoose: no server could be reached, or the connection ended while a command was under way. */
const UNAVAILABLE = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongoServerClosedError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoPoolClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoClientClosedError',
  'MongooseServerSelectionError',
]);
/** Of a socket: the driver wrote to one that the server had just ended, before it had looked (EPIPE), and hands that on as it is. */
const BROKEN_SOCKET = new Set<unknown>(['EPIPE', 'ECONNRESET']);
/** What the driver itself would repeat, had it not given up: the fault is the server's or the network's, not the command's. */
const PASSING_FAULT_LABELS = ['RetryableWriteError', 'TransientTransactionError', 'UnknownTransactionCommitResult'];

export function tooLate(): OperationError {
  return new OperationError(
    'DEADLINE_EXCEEDED',
    'The answer did not arrive in time. Repeat the request with the same Idempotency-Key: it takes effect once.',
  );
}

/** What a failure of the database means to the caller: unavailable, or (undefined) a fault of ours. */
export function databaseFailure(error: unknown): OperationError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (isStorageFault(error)) {
    return Object.assign(
      new OperationError('UNAVAILABLE', 'The database cannot store anything now. Try again shortly.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      }),
      // For the log: unlike an absence, nobody else tells of it.
      { cause: error },
    );
  }
  const notConnected = error.name === 'MongooseError' && error.message.includes('before initial connection');
  const passing =
    error instanceof mongoose.mongo.MongoError && PASSING_FAULT_LABELS.some((label) => error.hasErrorLabel(label));
  const brokenSocket = BROKEN_SOCKET.has((error as NodeJS.ErrnoException).code);
  if (notConnected || passing || brokenSocket || isUnansweredBulkWrite(error) || UNAVAILABLE.has(error.name)) {
    return new OperationError('UNAVAILABLE', 'The database is unavailable. Try again shortly.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  return undefined;
}

/** Of the server: its disk is full, or its storage engine fails otherwise. MongoDB has a code for it; SecantusDB says it in words. */
function isStorageFault(error: Error): boolean {
  if (!(error instanceof mongoose.mongo.MongoServerError)) return false;
  return error.code === OUT_OF_DISK_SPACE || (error.code === INTERNAL_ERROR && /WiredTiger error/.test(error.message));
}

/** A bulk write (`insertMany`, `bulkWrite`) puts its own error in front of that of the connection, without its name or labels. */
function isUnansweredBulkWrite(error: Error): boolean {
  if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) return false;
  // A server's error has a number for its code; a connection's has none, or a word of the operating system.
  return typeof error.code !== 'number' && [error.writeErrors].flat().length === 0;
}
