import { createHash } from 'node:crypto';
import { EffectModel, type EffectRecord } from './effects.model.ts';
import type { WriteSet } from './write-set.ts';

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

/** The record is part of the effect's transaction: whoever comes second with the identity is refused by the database itself. */
export function recordEffect(identity: EffectIdentity, answer: unknown, writes: WriteSet): void {
  const { id, operation, inputHash } = identity;
  const record: EffectRecord = {
    _id: id,
    operation,
    inputHash,
    answer: JSON.stringify(answer),
    createdAt: new Date(),
  };
  writes.insert(EffectModel, record, () => new AlreadyDone());
}

/** Whether the transaction of the effect was committed. */
export async function isRecorded({ id }: EffectIdentity): Promise<boolean> {
  return (await EffectModel.exists({ _id: id })) !== null;
}

/** The answer of an earlier write with this identity, if there was one. */
export async function earlierAnswer(
  identity: EffectIdentity,
): Promise<{ readonly sameRequest: boolean; readonly answer: unknown } | undefined> {
  const record = await EffectModel.findById(identity.id).lean();
  if (!record) return undefined;
  return {
    sameRequest: record.operation === identity.operation && record.inputHash === identity.inputHash,
    answer: JSON.parse(record.answer),
  };
}
