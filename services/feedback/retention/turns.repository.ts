import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import mongoose from 'mongoose';
import { TurnModel } from './turns.model.ts';

/** @returns whether the task was due and is now `holder`'s until `until`: true for only one of any number of concurrent replicas */
export async function takeTurn(duty: string, holder: string, now: Date, until: Date): Promise<boolean> {
  const due = { _id: duty, nextAt: mongoose.trusted({ $lte: now }) };
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
