import { setTimeout as delay } from 'node:timers/promises';
import { OperationError } from '@worktrack/contracts/errors';
import type { Log } from '@worktrack/rpc/types';
import mongoose, { type ClientSession } from 'mongoose';
import { answered } from './answered.ts';
import { TransactionOwners } from './transaction-owners.ts';

const SERVER_SELECTION_TIMEOUT_MS = 2_000;
const RETRY_AFTER_SECONDS = 2;
const RECONNECT_DELAY_MS = 500;
const MAX_POOL_SIZE = 32;
/** As the usual deadline of a call: who waited for so long for one of them is not waited for any more. */
const WAIT_QUEUE_TIMEOUT_MS = 10_000;
/** Codes of MongoDB's servers (error_codes.yml). */
const INTERNAL_ERROR = 1;
const OUT_OF_DISK_SPACE = 14031;
const INTERRUPTED = 11601;

mongoose.set('sanitizeFilter', true);
mongoose.set('strictQuery', 'throw');
mongoose.set('autoIndex', false);
mongoose.set('autoCreate', false);
// A command while the server is away fails in SERVER_SELECTION_TIMEOUT_MS; buffering would hold it for ten seconds.
mongoose.set('bufferCommands', false);

/** Of the connection that is open. */
let owners: TransactionOwners | undefined;
let commitsAreVerified = false;

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
        waitQueueTimeoutMS: WAIT_QUEUE_TIMEOUT_MS,
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
  commitsAreVerified = await answersFailedCommits();
  owners = new TransactionOwners(log);
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
  await owners?.stop();
  owners = undefined;
  mongoose.connection.removeAllListeners('disconnected');
  await mongoose.disconnect();
}

/** For the readiness check: what is missing, or undefined. */
export async function databaseProblem(): Promise<string | undefined> {
  try {
    await answered(async (options) => mongoose.connection.db?.command({ ping: 1 }, options));
    return mongoose.connection.readyState === mongoose.ConnectionStates.connected ? undefined : 'not connected';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * SecantusDB 0.6 drops the outcome of a commit and answers it as done: one that its storage engine refused (a disk that is full, a late
 * conflict) would be told to the client as stored. MongoDB answers a commit only once it is.
 */
async function answersFailedCommits(): Promise<boolean> {
  const info = await mongoose.connection.db?.command({ buildInfo: 1 });
  return info?.secantusVersion !== undefined;
}

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
      if (!commitsAreVerified || !isStored || (await isStored())) return answer;
    } catch (error) {
      // Others took this process for dead and ended its session while a statement was under way: the driver takes that for final.
      if (!(error instanceof mongoose.mongo.MongoServerError && error.code === INTERRUPTED)) throw error;
    }
  }
}

async function runOnce<T>(deadlineAtMs: number, work: (tx: ClientSession) => Promise<T>): Promise<T> {
  const session = await mongoose.startSession();
  try {
    await owners?.own(session, deadlineAtMs);
    return await runBy(session, deadlineAtMs, work);
  } finally {
    await session.endSession();
  }
}

async function runBy<T>(
  session: ClientSession,
  deadlineAtMs: number,
  work: (tx: ClientSession) => Promise<T>,
): Promise<T> {
  let isEnded = false;
  try {
    const inTime = async (tx: ClientSession) => {
      if (Date.now() >= deadlineAtMs) throw tooLate();
      try {
        return await work(tx);
      } catch (error) {
        if (!(error instanceof mongoose.mongo.MongoError)) isEnded = await abort(tx);
        throw error;
      }
    };
    return await session.withTransaction(inTime, {
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 'majority', journal: true },
    });
  } catch (error) {
    if (!isEnded) owners?.doubt(session);
    throw error;
  }
}

/**
 * What `work` refuses is common, and must cost no session. The driver aborts too, and does not tell whether that reached the server.
 * @returns whether the server answered, so that nothing can be open
 */
async function abort(tx: ClientSession): Promise<boolean> {
  try {
    await mongoose.connection.getClient().db('admin').command({ abortTransaction: 1 }, { session: tx });
    return true;
  } catch (error) {
    return error instanceof mongoose.mongo.MongoServerError;
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

function tooLate(): OperationError {
  return new OperationError(
    'DEADLINE_EXCEEDED',
    'The answer did not come in time. Repeat the request with the same Idempotency-Key: it has its effect once.',
  );
}

/** What a failure of the database means to the caller: away, or (undefined) a fault of ours. */
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
