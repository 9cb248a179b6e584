import type { TransactionalScope } from '@worktrack/runtime/database/scope';
import mongoose from 'mongoose';
import { NamesModel, type NamesRecord } from './names.model.ts';

export async function namesOf(
  { caller: { organizationId }, tx }: TransactionalScope,
  userId: string,
): Promise<NamesRecord | null> {
  return NamesModel.findOne({ organizationId, _id: userId }, null, { session: tx }).lean();
}

/** Of a user about whom nothing was said yet: nothing has a former name. */
export async function insertNames(
  { caller: { organizationId }, tx }: TransactionalScope,
  names: Pick<NamesRecord, '_id' | 'name' | 'revision'>,
): Promise<void> {
  await NamesModel.insertMany([{ ...names, organizationId, former: [] }], { session: tx, lean: true });
}

/** Also schedules an immediate search for items with a former name. */
export async function saveNames(
  { caller: { organizationId }, tx }: TransactionalScope,
  { _id, name, revision, isErased = false, former }: Omit<NamesRecord, 'organizationId'>,
): Promise<void> {
  await NamesModel.updateOne(
    { organizationId, _id },
    { $set: { name, revision, isErased, former, followAt: new Date(), isLastLook: false } },
    { session: tx },
  );
}

export function namesToFollow(now: Date, limit: number): Promise<NamesRecord[]> {
  return NamesModel.find({ followAt: mongoose.trusted({ $lte: now }) })
    .sort({ followAt: 1 })
    .limit(limit)
    .lean();
}

/** The look is over, unless another one has become due meanwhile. @param nextAt undefined: there is none */
export async function followed(names: NamesRecord, nextAt: Date | undefined): Promise<void> {
  const { organizationId, _id, revision, followAt } = names;
  const unchanged = { organizationId, _id, revision, followAt };
  if (nextAt) await NamesModel.updateOne(unchanged, { $set: { followAt: nextAt, isLastLook: true } });
  else if (names.isErased) await NamesModel.deleteOne(unchanged);
  else await NamesModel.updateOne(unchanged, { $unset: { followAt: 1, isLastLook: 1 } });
}
