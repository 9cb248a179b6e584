import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import mongoose from 'mongoose';
import type { FetchedKeys } from './fetch-keys.ts';
import { type IssuerKeysDocument, IssuerKeysModel } from './issuer-keys.model.ts';

export async function readIssuerKeys(issuer: string): Promise<IssuerKeysDocument | undefined> {
  return (await IssuerKeysModel.findOne({ _id: issuer }).lean()) ?? undefined;
}

/** @returns whether it is the caller who may ask the issuer, who was last asked at `notAfter` or earlier, or after `ahead` */
export async function takeTry(issuer: string, at: Date, notAfter: Date, ahead: Date): Promise<boolean> {
  const isDue = [{ $lte: notAfter }, { $gt: ahead }];
  try {
    const { upsertedCount, modifiedCount } = await IssuerKeysModel.updateOne(
      { _id: issuer, $or: isDue.map((triedAt) => ({ triedAt: mongoose.trusted(triedAt) })) },
      { $set: { triedAt: at } },
      { upsert: true },
    );
    return upsertedCount + modifiedCount > 0;
  } catch (error) {
    // There is one that was tried later.
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** @param fetchedAt when they were asked for */
export async function storeIssuerKeys(issuer: string, { keys, leftOut }: FetchedKeys, fetchedAt: Date): Promise<void> {
  await IssuerKeysModel.updateOne({ _id: issuer }, { $set: { keys: [...keys], leftOut, fetchedAt } });
}

export async function storeFailure(issuer: string, failedAt: Date, failure: string): Promise<void> {
  await IssuerKeysModel.updateOne({ _id: issuer }, { $set: { failedAt, failure } });
}
