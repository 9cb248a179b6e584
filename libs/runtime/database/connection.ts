import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@worktrack/rpc/types';
import mongoose from 'mongoose';
import { tracing } from '../tracing/tracing.ts';
import { answered } from './answered.ts';
import { countConnections } from './connection-metrics.ts';
import { databaseServer, useServer } from './server.ts';
import { detectServer } from './stand-in/server.ts';

const SERVER_SELECTION_TIMEOUT_MS = 2_000;
const RECONNECT_DELAY_MS = 500;
const MAX_POOL_SIZE = 32;
/** Same as a call's usual deadline: after waiting this long for a connection, nobody wants the result any more. */
const WAIT_QUEUE_TIMEOUT_MS = 10_000;

mongoose.set('sanitizeFilter', true);
mongoose.set('strictQuery', 'throw');
mongoose.set('autoIndex', false);
mongoose.set('autoCreate', false);
// A command while the server is unavailable fails in SERVER_SELECTION_TIMEOUT_MS; buffering would delay it for ten seconds.
mongoose.set('bufferCommands', false);

let stopServer: (() => Promise<void>) | undefined;

/**
 * Connects mongoose's default connection (one process = one service = one database). It waits for a server that is not up yet, and says so. It creates all
 * collections and indexes of the loaded models.
 * @param url server or replica set; any database in it is ignored
 */
export async function connectDatabase(options: {
  readonly url: string;
  readonly database: string;
  readonly log: Log;
}): Promise<void> {
  const { url, database, log } = options;
  let told: string | undefined;
  for (;;) {
    try {
      const selection = { serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS };
      const server = await detectServer(url, selection);
      useServer(server);
      await mongoose.connect(url, {
        ...selection,
        dbName: database,
        maxPoolSize: MAX_POOL_SIZE,
        waitQueueTimeoutMS: WAIT_QUEUE_TIMEOUT_MS,
        writeConcern: { w: 'majority', journal: true },
        ...server.clientOptions,
      });
      break;
    } catch (error) {
      // Whoever mends one reason has to learn of the next.
      if (String(error) !== told) log.warn({ error }, 'Waiting for the database');
      told = String(error);
      await mongoose.disconnect();
      await delay(RECONNECT_DELAY_MS);
    }
  }
  tracing?.watchCommands();
  countConnections(mongoose.connection.getClient());
  await prepareCollections();
  stopServer = databaseServer().begin(log);
  mongoose.connection.on('disconnected', () => log.warn({}, 'The database is unavailable'));
  mongoose.connection.on('connected', () => log.info({}, 'The database is available again'));
}

/** Collections first: inside a transaction, an insert into a collection that another one is just creating is a conflict. */
async function prepareCollections(): Promise<void> {
  const models = Object.values(mongoose.models);
  for (const model of models) await model.createCollection();
  await databaseServer().createIndexes(models);
}

export async function disconnectDatabase(): Promise<void> {
  await stopServer?.();
  stopServer = undefined;
  mongoose.connection.removeAllListeners('disconnected');
  await mongoose.disconnect();
}

/** For the readiness check: the fault, or undefined. */
export async function databaseProblem(): Promise<string | undefined> {
  try {
    await answered(async (options) => mongoose.connection.db?.command({ ping: 1 }, options));
    return mongoose.connection.readyState === mongoose.ConnectionStates.connected ? undefined : 'not connected';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
