import mongoose, { type ClientSession } from 'mongoose';
import { DUPLICATE_KEY } from '../duplicate-key.ts';
import { Stale } from './stale.ts';
import { type PlannedWrite, WriteSet } from './write-set.ts';

/** MongoDB server error code (error_codes.yml). */
const WRITE_CONFLICT = 112;

/** Which sets made a bulk write fail, and the error for each. The others can be sent again unchanged. */
export type Blame = ReadonlyMap<WriteSet, Error>;
const NOBODY: Blame = new Map();

/**
 * Sends the writes of all sets as one command inside the transaction of `session`.
 * @returns empty if everything was done as expected; otherwise the transaction must be aborted
 * @throws errors that concern all of them: the server is unavailable, or rejects the whole command
 */
export async function flush(session: ClientSession, sets: readonly WriteSet[]): Promise<Blame> {
  const writes = WriteSet.plan(sets);
  if (writes.length === 0) return NOBODY;
  const models = writes.map(({ model }) => model);
  try {
    const result = await mongoose.connection
      .getClient()
      // Per-operation results: totals would not say whose filter failed to match.
      .bulkWrite(models, { session, verboseResults: true, ignoreUndefined: true });
    const blame = unexpected(result, writes);
    if (blame.size === 0) for (const set of sets) set.isSent = true;
    return blame;
  } catch (error) {
    if (!(error instanceof mongoose.mongo.MongoClientBulkWriteError)) throw error;
    const [first] = error.writeErrors;
    // Without one, it is an error of the whole command, which the driver wrapped in its own.
    if (!first) throw error.cause ?? error;
    const [index, { code, message }] = first;
    const write = writes[index];
    if (!write) throw error;
    return new Map(write.of.map((set) => [set, refusal(write, code, message)]));
  }
}

function unexpected(result: mongoose.mongo.ClientBulkWriteResult, writes: readonly PlannedWrite[]): Blame {
  const blame = new Map<WriteSet, Error>();
  for (const [index, { expected, model, of }] of writes.entries()) {
    if (expected === undefined || model.name === 'insertOne') continue;
    const count = result.updateResults?.get(index)?.matchedCount ?? result.deleteResults?.get(index)?.deletedCount;
    if (count !== expected) {
      const untrue = model.name === 'updateOne' ? { namespace: model.namespace, filter: model.filter } : undefined;
      for (const set of of) blame.set(set, new Stale(undefined, untrue));
    }
  }
  return blame;
}

function refusal({ onDuplicate }: PlannedWrite, code: number, message: string): Error {
  if (code === WRITE_CONFLICT) return new Stale();
  const error = new mongoose.mongo.MongoServerError({ message, code });
  return code === DUPLICATE_KEY ? (onDuplicate?.() ?? error) : error;
}
