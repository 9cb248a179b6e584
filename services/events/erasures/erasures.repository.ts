import mongoose from 'mongoose';
import { ErasureModel, type ErasureRecord } from './erasures.model.ts';

const LONG_AGO = new Date(0);

export async function noteErasure(organizationId: string, userId: string): Promise<void> {
  await ErasureModel.updateOne(
    { organizationId, _id: `${organizationId} ${userId}` },
    { $setOnInsert: { userId, heldUntil: LONG_AGO } },
    { upsert: true },
  );
}

/** What nobody is at, across all organizations. */
export async function openErasures(now: Date, limit: number): Promise<ErasureRecord[]> {
  return ErasureModel.find({ heldUntil: mongoose.trusted({ $lt: now }) })
    .limit(limit)
    .lean();
}

/** @returns whether it is this process's now */
export async function holdErasure({ organizationId, _id, heldUntil }: ErasureRecord, until: Date): Promise<boolean> {
  const asItWas = { organizationId, _id, heldUntil };
  return (await ErasureModel.updateOne(asItWas, { $set: { heldUntil: until } })).matchedCount === 1;
}

export async function keepNames({ organizationId, _id }: ErasureRecord, names: ReadonlySet<string>): Promise<void> {
  await ErasureModel.updateOne({ organizationId, _id }, { $set: { names: [...names] } });
}

export async function removeErasure({ organizationId, _id }: ErasureRecord): Promise<void> {
  await ErasureModel.deleteOne({ organizationId, _id });
}
