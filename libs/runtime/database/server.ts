import type { Log } from '@worktrack/rpc/types';
import mongoose, { type ClientSession } from 'mongoose';
import { type AnyModel, countIndex, type OrderedRead, walkIndex } from './walk-index.ts';

type Document = { readonly _id: string };

/** Of a bulk write whose writes do not depend on each other. */
export interface BulkOptions {
  readonly ordered: boolean;
  readonly session?: ClientSession;
}
export const UNORDERED: BulkOptions = { ordered: false };

/** Whole numbers without a gap, each in one document. @param from none is lower. @param upTo the highest, if there is any */
export interface Numbered {
  readonly field: string;
  readonly from: number;
  readonly upTo: number;
}

/** The steps that not every server takes in the same way. `connectDatabase` finds out which server it is. */
export interface DatabaseServer {
  readonly clientOptions: mongoose.mongo.MongoClientOptions;
  readonly transactionOptions: mongoose.mongo.TransactionOptions;
  createIndexes(models: readonly AnyModel[]): Promise<void>;
  /** Called once connected. @returns a function that stops what it has begun */
  begin(log: Log): () => Promise<void>;
  /** See `inOrder`. */
  inOrder<Row>(model: AnyModel, read: OrderedRead): Promise<Row[]>;
  /** See `countInOrder`. */
  countInOrder(model: AnyModel, read: Omit<OrderedRead, 'present'>): Promise<number>;
  /** All of a collection in the order of `_id`, a batch at a time. @param after empty at the beginning */
  nextBatch<Row extends Document>(
    model: AnyModel,
    after: string,
    size: number,
    fields: Readonly<Partial<Record<string, 1>>>,
  ): Promise<Row[]>;
  /** The beginning of a queue whose documents are removed once they are done. @param after the last one that was read, unless it was removed */
  nextInQueue<Row extends Document>(model: AnyModel, after: string, size: number): Promise<Row[]>;
  /** The documents that match any of the filters. No document may match two of them. */
  findAnyOf<Row>(model: AnyModel, filters: readonly object[]): Promise<Row[]>;
  /**
   * Adds to a number of the document that has these values.
   * @returns what the number is then; undefined: there is no such document
   */
  increment(
    model: AnyModel,
    which: Readonly<Record<string, string>>,
    field: string,
    by: number,
  ): Promise<number | undefined>;
  /** The lowest number of the documents that have these values; undefined: there are none. */
  lowest(model: AnyModel, which: Readonly<Record<string, string>>, numbers: Numbered): Promise<number | undefined>;
  /** Carries out a command with several writes that do not depend on each other. It may be called twice. */
  inOneCommit<T>(writes: number, command: (options: BulkOptions) => Promise<T>): Promise<T>;
  /** Awaited before the first write of each transaction. */
  ownSession(session: ClientSession, deadlineAtMs: number): Promise<void>;
  /** After a transaction. @param isOver whether nothing of it can be open any more */
  releaseSession(session: ClientSession, isOver: boolean): Promise<void>;
  /** Whether a commit that was reported as done is done. @param isStored looks, if the caller knows how */
  isCommitted(isStored?: () => Promise<boolean>): Promise<boolean>;
  /** After an insert without a transaction that was reported as done. @throws if the document is not there */
  confirmInsert(model: AnyModel, _id: string): Promise<void>;
}

/** MongoDB 8. */
export const MONGODB: DatabaseServer = {
  // What a write relies on is read before its transaction: a failover must not be able to roll it back.
  clientOptions: { readConcernLevel: 'majority' },
  transactionOptions: { readConcern: { level: 'snapshot' } },
  async createIndexes(models) {
    for (const model of models) await model.createIndexes();
  },
  // It ends the transactions of a process that is gone by itself (`transactionLifetimeLimitSeconds`).
  begin: () => async () => {},
  inOrder: walkIndex,
  countInOrder: countIndex,
  nextBatch: (model, after, size, fields) =>
    model
      .find({ _id: mongoose.trusted({ $gt: after }) }, fields)
      .sort({ _id: 1 })
      .limit(size)
      .lean(),
  nextInQueue: (model, after, size) => MONGODB.nextBatch(model, after, size, {}),
  findAnyOf: (model, filters) => model.find({ $or: [...filters] }).lean(),
  async increment(model, which, field, by) {
    const found = await model.collection.findOneAndUpdate(
      which,
      { $inc: { [field]: by } },
      { returnDocument: 'after', projection: { _id: 0, [field]: 1 } },
    );
    return found?.[field] as number | undefined;
  },
  async lowest(model, which, { field }) {
    const [first] = await model
      .find(which, { [field]: 1 })
      .sort({ [field]: 1 })
      .limit(1)
      .lean();
    return first?.[field] as number | undefined;
  },
  // It waits for its journal once for the command.
  inOneCommit: (_, command) => command(UNORDERED),
  ownSession: async () => {},
  releaseSession: (session) => session.endSession(),
  isCommitted: async () => true,
  confirmInsert: async () => {},
};

let connected = MONGODB;

/** The server that this process is connected to. */
export const databaseServer = (): DatabaseServer => connected;

export function useServer(server: DatabaseServer): void {
  connected = server;
}
