import mongoose from 'mongoose';

/**
 * What the server can do of what MongoDB 8 does. The services are written for that; what another server needs instead stands in `stand-in/`
 * of this folder and of the services, and is chosen by these.
 */
export interface ServerCapabilities {
  /** A commit that the storage engine refused is answered as refused. Otherwise what was committed is read back. */
  readonly commitsAreReliable: boolean;
  /** It ends a transaction whose process is gone, after a time that it can be told (`transactionLifetimeLimitSeconds`). */
  readonly endsAbandonedTransactions: boolean;
  /** It takes a read concern on every command that MongoDB takes one on. */
  readonly takesReadConcerns: boolean;
  /** A write outside of a transaction costs no more with the driver's `retryWrites`. */
  readonly retriesWritesCheaply: boolean;
  /** It reads in the order of an index, and stops at the limit. */
  readonly sortsByIndex: boolean;
}

const MONGODB: ServerCapabilities = {
  commitsAreReliable: true,
  endsAbandonedTransactions: true,
  takesReadConcerns: true,
  retriesWritesCheaply: true,
  sortsByIndex: true,
};

/** SecantusDB 0.6 (stand-in/README.md). */
const SECANTUSDB: ServerCapabilities = {
  commitsAreReliable: false,
  endsAbandonedTransactions: false,
  takesReadConcerns: false,
  retriesWritesCheaply: false,
  sortsByIndex: false,
};

let known = MONGODB;

/** Of the server that this process is connected to. */
export function serverCapabilities(): ServerCapabilities {
  return known;
}

/**
 * Asks the server once, by a connection of its own, since the options of the one that stays depend on the answer.
 * @throws as when the database is unavailable
 */
export async function detectCapabilities(
  url: string,
  options: mongoose.mongo.MongoClientOptions,
): Promise<ServerCapabilities> {
  const client = new mongoose.mongo.MongoClient(url, { ...options, maxPoolSize: 1 });
  try {
    const info = await client.db('admin').command({ buildInfo: 1 });
    known = info.secantusVersion === undefined ? MONGODB : SECANTUSDB;
    return known;
  } finally {
    await client.close();
  }
}
