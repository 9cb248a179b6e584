import { OperationError } from '@worktrack/contracts/errors';
import mongoose from 'mongoose';

const RETRY_AFTER_SECONDS = 2;
/** MongoDB server error codes (error_codes.yml). */
const INTERNAL_ERROR = 1;
const OUT_OF_DISK_SPACE = 14031;
/** Unauthorized, AuthenticationFailed. */
const NOT_LET_IN = [13, 18];

/** From the driver and mongoose: no server could be reached, or the connection ended while a command was in progress. */
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
/** From a socket: the driver wrote to one that the server had just closed, before noticing (EPIPE), and passes the error on unchanged. */
const BROKEN_SOCKET = new Set<unknown>(['EPIPE', 'ECONNRESET']);
/** What the driver itself would retry, had it not given up: the server or the network is at fault, not the command. */
const PASSING_FAULT_LABELS = [
  'RetryableWriteError',
  'TransientTransactionError',
  'UnknownTransactionCommitResult',
  'RetryableError',
];
/**
 * The same by code ("retryable error" in the driver specification of retryable reads), as when a primary steps down: the server labels only what it can retry by
 * itself. Reads have no label, so the second failure of one had none; nor has a change of many documents, or the next page of a cursor.
 */
const PASSING_FAULTS = new Set<unknown>([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

export function tooLate(): OperationError {
  return new OperationError(
    'DEADLINE_EXCEEDED',
    'The response did not arrive in time. Repeat the request with the same Idempotency-Key: it takes effect once.',
  );
}

/** What a database failure means for the caller: unavailable, or (undefined) a bug of ours. */
export function databaseFailure(error: unknown): OperationError | undefined {
  if (!(error instanceof Error)) return undefined;
  // For the log: unlike an unavailable server, nothing else reports these.
  if (isStorageFault(error)) return unavailable('The database cannot store anything at the moment.', error);
  if (isNotLetIn(error)) return unavailable('The database does not let this service in.', error);
  const notConnected = error.name === 'MongooseError' && error.message.includes('before initial connection');
  const passing =
    error instanceof mongoose.mongo.MongoError &&
    (PASSING_FAULTS.has(error.code) || PASSING_FAULT_LABELS.some((label) => error.hasErrorLabel(label)));
  const brokenSocket = BROKEN_SOCKET.has((error as NodeJS.ErrnoException).code);
  if (notConnected || passing || brokenSocket || isUnansweredBulkWrite(error) || UNAVAILABLE.has(error.name)) {
    return unavailable('The database is unavailable.');
  }
  return undefined;
}

function unavailable(what: string, cause?: Error): OperationError {
  const error = new OperationError('UNAVAILABLE', `${what} Try again shortly.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  return cause ? Object.assign(error, { cause }) : error;
}

/** From the server: its disk is full, or its storage engine fails otherwise. Not all of it has a code. */
function isStorageFault(error: Error): boolean {
  if (!(error instanceof mongoose.mongo.MongoServerError)) return false;
  return error.code === OUT_OF_DISK_SPACE || (error.code === INTERNAL_ERROR && /WiredTiger error/.test(error.message));
}

/** The server refuses the login while a password is changed, and may refuse early commands as it starts. Nothing of the command was done. */
function isNotLetIn(error: Error): boolean {
  return error instanceof mongoose.mongo.MongoServerError && NOT_LET_IN.includes(Number(error.code));
}

/** A bulk write (`insertMany`, `bulkWrite`) wraps the connection's error in its own, without its name or labels. */
function isUnansweredBulkWrite(error: Error): boolean {
  if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) return false;
  // A server error has a numeric code; a connection error has none, or an operating system code.
  return typeof error.code !== 'number' && [error.writeErrors].flat().length === 0;
}
