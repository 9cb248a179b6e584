import mongoose from 'mongoose';
import type { Scope } from '../scope.ts';
import { CounterModel } from './counters.model.ts';

const DUPLICATE_KEY = 11_000;
/** One suffices on a server that tells a document that is there from one that is not. */
const MAX_ATTEMPTS = 20;

/**
 * Draws the next `count` numbers of a counter and returns the last of them. On purpose not inside the caller's transaction: there,
 * everybody who draws from the same counter would conflict until the other commits. A number is given out once and for all; one that
 * was drawn by a transaction that then failed stays unused.
 */
export async function draw({ caller }: Scope, name: string, count = 1): Promise<number> {
  const which = { organizationId: caller.organizationId, name };
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const counter = await CounterModel.findOneAndUpdate(
      which,
      { $inc: { value: count } },
      { returnDocument: 'after' },
    ).lean();
    if (counter) return counter.value;
    await makeCounter(which);
  }
  throw new Error(`The counter ${name} could not be drawn from.`);
}

/** Not by an upsert: of many first draws at once, SecantusDB answers some with nothing. */
async function makeCounter(which: { readonly organizationId: string; readonly name: string }): Promise<void> {
  try {
    await CounterModel.insertMany([{ ...which, value: 0 }], { lean: true });
  } catch (error) {
    // Somebody else was first.
    if (!(error instanceof mongoose.mongo.MongoServerError) || error.code !== DUPLICATE_KEY) throw error;
  }
}
