import mongoose from 'mongoose';
import { type DatabaseServer, MONGODB } from '../server.ts';
import { countIndex, walkIndex } from '../walk-index.ts';
import { batchByIds } from './batches.ts';
import { countByWindows } from './count.ts';
import { countEachChoice, walkEachChoice } from './each-choice.ts';
import { inOrderByWindows } from './in-order.ts';
import { incrementByIndex } from './increment.ts';
import { createOwnIndexes, dropOwnIndexes } from './indexes.ts';
import { lowestBySearch } from './lowest.ts';
import { inOneCommit } from './one-commit.ts';
import { splitMatches } from './split-match.ts';
import { ownSession, releaseSession, watchOwners } from './transaction-owners.ts';

const walk = walkEachChoice(walkIndex);

/** SecantusDB 0.6 (README.md). */
const STAND_IN: DatabaseServer = {
  // It takes no read concern, and the driver's `retryWrites` would make each write outside a transaction more expensive.
  clientOptions: { retryWrites: false },
  transactionOptions: {},
  async createIndexes(models) {
    await MONGODB.createIndexes(models);
    await createOwnIndexes(models);
  },
  begin(log) {
    splitMatches(Object.values(mongoose.models));
    return watchOwners(log);
  },
  inOrder: (model, read) => inOrderByWindows(model, read, walk),
  countInOrder: (model, read) => countByWindows(model, read, countEachChoice(countIndex, walkIndex), walk),
  nextBatch: batchByIds,
  // It returns the first documents that there are: what is done is no longer among them.
  nextInQueue: (model, _after, size) => model.find().limit(size).lean(),
  // It scans for any `$or`: one query per filter.
  async findAnyOf(model, filters) {
    const found = await Promise.all(filters.map((filter) => model.find(filter).lean()));
    return found.flat();
  },
  increment: incrementByIndex,
  lowest: lowestBySearch,
  inOneCommit,
  ownSession,
  releaseSession,
  // It reports as done what its storage engine has refused.
  isCommitted: async (isStored) => !isStored || (await isStored()),
  async confirmInsert(model, _id) {
    if (!(await model.exists({ _id }))) throw new Error('What was reported as stored is not there.');
  },
};

/** Earlier versions declared the stand-in's indexes for every server. */
const MONGODB_UPGRADED: DatabaseServer = {
  ...MONGODB,
  async createIndexes(models) {
    await MONGODB.createIndexes(models);
    await dropOwnIndexes(models);
  },
};

/**
 * Asks the server once, over a separate connection, since the options of the permanent one depend on the answer.
 * @throws the same as when the database is unavailable
 */
export async function detectServer(url: string, options: mongoose.mongo.MongoClientOptions): Promise<DatabaseServer> {
  const client = new mongoose.mongo.MongoClient(url, { ...options, maxPoolSize: 1 });
  try {
    const info = await client.db('admin').command({ buildInfo: 1 });
    return info.secantusVersion === undefined ? MONGODB_UPGRADED : STAND_IN;
  } finally {
    await client.close();
  }
}
