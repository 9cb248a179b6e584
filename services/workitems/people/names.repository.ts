import type { TransactionalScope } from '@worktrack/runtime/database/scope';
import mongoose from 'mongoose';
import { NamesModel, type NamesRecord } from './names.model.ts';

const idOf = (organizationId: string, userId: string) => `${organizationId} ${userId}`;

export async function namesOf(
  { caller: { organizationId }, tx }: TransactionalScope,
  userId: string,
): Promise<NamesRecord | null> {
  return NamesModel.findOne({ organizationId, _id: idOf(organizationId, userId) })
    .session(tx)
    .lean();
}

/** Of a user about whom nothing was said yet: nothing has a former name. */
export async function insertNames(
  { caller: { organizationId }, tx }: TransactionalScope,
  names: Pick<NamesRecord, 'userId' | 'name' | 'revision' | 'former'>,
): Promise<void> {
  const record = { _id: idOf(organizationId, names.userId), organizationId, ...names };
  await NamesModel.insertMany([record], { session: tx, lean: true });
}

/** And looks at once for what has a former name. */
export async function saveNames(
  { caller: { organizationId }, tx }: TransactionalScope,
  userId: string,
  names: Pick<NamesRecord, 'name' | 'revision' | 'isErased' | 'former'>,
): Promise<void> {
  await NamesModel.updateOne(
    { organizationId, _id: idOf(organizationId, userId) },
    { $set: { ...names, followAt: new Date(), isLastLook: false } },
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
