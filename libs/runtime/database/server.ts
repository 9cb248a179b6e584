import mongoose from 'mongoose';

/**
 * Which of MongoDB 8's capabilities the server has. The services are written for MongoDB; workarounds for other servers are in `stand-in/`
 * in this folder and in the services, and are selected by these.
 */
export interface ServerCapabilities {
  /** It reports a commit that the storage engine refused as failed. Otherwise commits are verified by reading back. */
  readonly commitsAreReliable: boolean;
  /** It ends a transaction whose process is gone, after a configurable time (`transactionLifetimeLimitSeconds`). */
  readonly endsAbandonedTransactions: boolean;
  /** It accepts a read concern on every command that MongoDB accepts one on. */
  readonly takesReadConcerns: boolean;
  /** The driver's `retryWrites` does not make a write outside a transaction more expensive. */
  readonly retriesWritesCheaply: boolean;
  /** It reads in index order, and stops at the limit. */
  readonly sortsByIndex: boolean;
  /** It uses an index for each branch of an `$or`. */
  readonly usesIndexesInOr: boolean;
  /** It uses the index on `_id` though there are other conditions. */
  readonly findsByIdAlone: boolean;
}

const MONGODB: ServerCapabilities = {
  commitsAreReliable: true,
  endsAbandonedTransactions: true,
  takesReadConcerns: true,
  retriesWritesCheaply: true,
  sortsByIndex: true,
  usesIndexesInOr: true,
  findsByIdAlone: true,
};

/** SecantusDB 0.6 (stand-in/README.md). */
const SECANTUSDB: ServerCapabilities = {
  commitsAreReliable: false,
  endsAbandonedTransactions: false,
  takesReadConcerns: false,
  retriesWritesCheaply: false,
  sortsByIndex: false,
  usesIndexesInOr: false,
  findsByIdAlone: false,
};

let capabilities = MONGODB;

/** Of the server that this process is connected to. */
export function serverCapabilities(): ServerCapabilities {
  return capabilities;
}

/**
 * Asks the server once, over a separate connection, since the options of the permanent one depend on the answer.
 * @throws the same as when the database is unavailable
 */
export async function detectCapabilities(
  url: string,
  options: mongoose.mongo.MongoClientOptions,
): Promise<ServerCapabilities> {
  const client = new mongoose.mongo.MongoClient(url, { ...options, maxPoolSize: 1 });
  try {
    const info = await client.db('admin').command({ buildInfo: 1 });
    capabilities = info.secantusVersion === undefined ? MONGODB : SECANTUSDB;
    return capabilities;
  } finally {
    await client.close();
  }
}
