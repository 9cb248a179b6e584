import mongoose from 'mongoose';
import { TurnModel } from './turns.model.ts';

const DUPLICATE_KEY = 11_000;

/** @returns whether the duty was due and is now `holder`'s until `until`: of any number of replicas at once one is told so */
export async function takeTurn(duty: string, holder: string, now: Date, until: Date): Promise<boolean> {
  const due = { _id: duty, nextAt: mongoose.trusted({ $lte: now }) };
  const { matchedCount } = await TurnModel.updateOne(due, { $set: { holder, nextAt: until } });
  if (matchedCount === 1) return true;
  try {
    await TurnModel.collection.insertOne({ _id: duty as never, holder, nextAt: until });
    return true;
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE_KEY) return false;
    throw error;
  }
}

/** @returns false where another replica has taken the duty since, for `holder` was too slow */
export async function extendTurn(duty: string, holder: string, until: Date): Promise<boolean> {
  const { matchedCount } = await TurnModel.updateOne({ _id: duty, holder }, { $set: { nextAt: until } });
  return matchedCount === 1;
}
