import { setTimeout as delay } from 'node:timers/promises';
import { OperationError } from '@worktrack/contracts/errors';
import type { Log } from '@worktrack/rpc/types';
import mongoose, { type ClientSession } from 'mongoose';

const SERVER_SELECTION_TIMEOUT_MS = 2_000;
const RETRY_AFTER_SECONDS = 2;
const RECONNECT_DELAY_MS = 500;
const MAX_POOL_SIZE = 32;
/** Codes of MongoDB's servers (error_codes.yml). */
const INTERNAL_ERROR = 1;
const OUT_OF_DISK_SPACE = 14031;

mongoose.set('sanitizeFilter', true);
mongoose.set('strictQuery', 'throw');
mongoose.set('autoIndex', false);
mongoose.set('autoCreate', false);
// A command while the server is away fails in SERVER_SELECTION_TIMEOUT_MS; buffering would hold it for ten seconds.
mongoose.set('bufferCommands', false);

/**
 * Connects mongoose's default connection (one process = one service = one database), waits for a server that is not there yet and
 * says so, and makes all collections and indexes of the models that are loaded.
 * @param url server or replica set; any database in it is ignored
 */
export async function connectDatabase(options: {
  readonly url: string;
  readonly database: string;
  readonly log: Log;
}): Promise<void> {
  const { url, database, log } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      await mongoose.connect(url, {
        dbName: database,
        serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
        maxPoolSize: MAX_POOL_SIZE,
        writeConcern: { w: 'majority', journal: true },
      });
      break;
    } catch (error) {
      if (attempt === 1) log.warn({ error }, 'Waiting for the database');
      await mongoose.disconnect();
      await delay(RECONNECT_DELAY_MS);
    }
  }
  await prepareCollections();
  mongoose.connection.on('disconnected', () => log.warn({}, 'The database is away'));
  mongoose.connection.on('connected', () => log.info({}, 'The database is back'));
}

/** Collections first: inside a transaction an insert into a collection that another one is just creating is a conflict. */
async function prepareCollections(): Promise<void> {
  for (const model of Object.values(mongoose.models)) {
    await model.createCollection();
    await model.createIndexes();
  }
}

export async function disconnectDatabase(): Promise<void> {
  mongoose.connection.removeAllListeners('disconnected');
  await mongoose.disconnect();
}

/** For the readiness check: what is missing, or undefined. */
export async function databaseProblem(): Promise<string | undefined> {
  try {
    await mongoose.connection.db?.command({ ping: 1 }, { timeoutMS: SERVER_SELECTION_TIMEOUT_MS });
    return mongoose.connection.readyState === mongoose.ConnectionStates.connected ? undefined : 'not connected';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Runs `work` in one transaction; conflicts with others are retried with a jittered backoff by the driver until the deadline.
 * `work` may run several times: it must have no effect but through `tx`.
 */
export async function transaction<T>(deadlineAtMs: number, work: (tx: ClientSession) => Promise<T>): Promise<T> {
  const session = await mongoose.startSession({ defaultTimeoutMS: Math.max(1, deadlineAtMs - Date.now()) });
  try {
    return await session.withTransaction(work, {
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 'majority', journal: true },
    });
  } finally {
    await session.endSession();
  }
}

/** Of the driver and of mongoose: no server could be reached, or the connection ended while a command was under way. */
const AWAY = new Set([
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

/** What a failure of the database means to the caller: away, too late, or (undefined) a fault of ours. */
export function databaseFailure(error: unknown): OperationError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'MongoOperationTimeoutError') {
    return new OperationError(
      'DEADLINE_EXCEEDED',
      'The answer did not come in time. Repeat the request with the same Idempotency-Key: it has its effect once.',
    );
  }
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
  if (notConnected || passing || brokenSocket || isUnansweredBulkWrite(error) || AWAY.has(error.name)) {
    return new OperationError('UNAVAILABLE', 'The database is away. Try again shortly.', {
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
