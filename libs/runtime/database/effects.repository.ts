import { createHash } from 'node:crypto';
import mongoose, { type ClientSession } from 'mongoose';
import { EffectModel } from './effects.model.ts';

const DUPLICATE_KEY = 11_000;

/** What a write is known by: the same identity has its effect once. */
export interface EffectIdentity {
  readonly id: string;
  readonly operation: string;
  readonly inputHash: string;
}

/**
 * @param organizationId of the caller; `-` for internal operations. Part of the identity, so that one organization's keys never meet another's.
 * @param input as parsed by the contract, so that defaults left out and given are the same request
 */
export function effectIdentity(
  organizationId: string,
  idempotencyKey: string,
  operation: string,
  input: unknown,
): EffectIdentity {
  const inputHash = createHash('sha256').update(JSON.stringify(input)).digest('base64url');
  return { id: `${organizationId}:${idempotencyKey}`, operation, inputHash };
}

/** Thrown out of a transaction whose effect was committed before: the answer is to be read from its record. */
export class AlreadyDone extends Error {}

/** Claims the identity for this transaction. Another open transaction with it makes a write conflict: the later one waits by retrying. */
export async function claimEffect(identity: EffectIdentity, tx: ClientSession): Promise<void> {
  const { id, operation, inputHash } = identity;
  try {
    await EffectModel.collection.insertOne(
      { _id: id as never, operation, inputHash, createdAt: new Date() },
      { session: tx },
    );
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE_KEY) throw new AlreadyDone();
    throw error;
  }
}

export async function recordAnswer(identity: EffectIdentity, answer: unknown, tx: ClientSession): Promise<void> {
  await EffectModel.updateOne({ _id: identity.id }, { $set: { answer: JSON.stringify(answer) } }, { session: tx });
}

/** Whether a transaction that claimed the identity was committed. */
export async function isRecorded({ id }: EffectIdentity): Promise<boolean> {
  return (await EffectModel.exists({ _id: id })) !== null;
}

/** The answer of an earlier write with this identity, if there was one. */
export async function earlierAnswer(
  identity: EffectIdentity,
): Promise<{ readonly sameRequest: boolean; readonly answer: unknown } | undefined> {
  const record = await EffectModel.findById(identity.id).lean();
  if (record?.answer === undefined) return undefined;
  return {
    sameRequest: record.operation === identity.operation && record.inputHash === identity.inputHash,
    answer: JSON.parse(record.answer),
  };
}
