import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import mongoose from 'mongoose';
import { TurnModel } from './turns.model.ts';

/** Nobody takes a turn for longer than a day: what ends after this was taken by a clock that was ahead, and nobody would run the task until then. */
const LONGEST_MS = 2 * 24 * 60 * 60 * 1000;

/** @returns whether the task was due and is now `holder`'s until `until`: true for only one of any number of concurrent replicas */
export async function takeTurn(duty: string, holder: string, now: Date, until: Date): Promise<boolean> {
  const isDue = [{ $lte: now }, { $gt: new Date(now.getTime() + LONGEST_MS) }];
  const due = { _id: duty, $or: isDue.map((nextAt) => ({ nextAt: mongoose.trusted(nextAt) })) };
  const { matchedCount } = await TurnModel.updateOne(due, { $set: { holder, nextAt: until } });
  if (matchedCount === 1) return true;
  try {
    await TurnModel.collection.insertOne({ _id: duty as never, holder, nextAt: until });
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** @returns false if another replica has since taken the task, because `holder` was too slow */
export async function extendTurn(duty: string, holder: string, until: Date): Promise<boolean> {
  const { matchedCount } = await TurnModel.updateOne({ _id: duty, holder }, { $set: { nextAt: until } });
  return matchedCount === 1;
}
