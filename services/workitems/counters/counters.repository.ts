import mongoose from 'mongoose';
import type { Scope } from '../scope.ts';
import { CounterModel } from './counters.model.ts';

const DUPLICATE_KEY = 11_000;

/**
 * Draws the next `count` numbers of a counter and returns the last of them. On purpose not inside the caller's transaction: there,
 * everybody who draws from the same counter would conflict until the other commits. A number is given out once and for all; one that
 * was drawn by a transaction that then failed stays unused.
 */
export async function draw({ caller }: Scope, name: string, count = 1): Promise<number> {
  const { organizationId } = caller;
  const next = () =>
    CounterModel.findOneAndUpdate(
      { organizationId, name },
      { $inc: { value: count } },
      { upsert: true, returnDocument: 'after' },
    ).lean();
  try {
    return (await next()).value;
  } catch (error) {
    // Two first draws at once: the other one has made the counter by now.
    if (error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE_KEY) return (await next()).value;
    throw error;
  }
}
