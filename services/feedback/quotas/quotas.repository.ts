import { oneOf } from '@worktrack/runtime/database/one-of';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import { QuotaModel } from './quotas.model.ts';

export async function quotaOf({ caller, tx }: Scope): Promise<number | null> {
  const document = await QuotaModel.findOne({ _id: caller.organizationId }, null, { session: tx }).lean();
  return document?.perDay ?? null;
}

/** Of those of the organizations that have one. */
export async function quotasOf(organizationIds: readonly string[]): Promise<Map<string, number>> {
  // As for public keys that somebody makes up.
  if (organizationIds.length === 0) return new Map();
  const documents = await QuotaModel.find({ _id: oneOf(organizationIds) }).lean();
  return new Map(documents.map(({ _id, perDay }) => [_id, perDay]));
}

/** @param perDay null removes it */
export async function storeQuota({ caller, tx }: TransactionalScope, perDay: number | null): Promise<void> {
  const _id = caller.organizationId;
  if (perDay === null) await QuotaModel.deleteOne({ _id }, { session: tx });
  else await QuotaModel.updateOne({ _id }, { $set: { perDay } }, { session: tx, upsert: true });
}
