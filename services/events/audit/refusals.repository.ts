import { createHash } from 'node:crypto';
import type { AuditDraft } from '@worktrack/contracts/audit/entry';
import type { Refusal } from '@worktrack/contracts/audit/operations';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose, { type ClientSession } from 'mongoose';
import type { NewEntry } from './entries.repository.ts';
import { type RefusalDocument, RefusalModel } from './refusals.model.ts';

/** Adds to what the same caller was refused of the same kind in the same minute, by whichever gateway. */
export async function countRefusal(refusal: Refusal, tx: ClientSession): Promise<void> {
  const { organizationId, minute, count, action, actor, targets, context } = refusal;
  const _id = createHash('sha256')
    .update(JSON.stringify([organizationId, actor.id, action, minute]))
    .digest('hex');
  const at = new Date().toISOString();
  const draft: AuditDraft = { id: uuidv7(), at, action, actor, targets, context, outcome: 'denied', changes: [] };
  await RefusalModel.updateOne(
    { organizationId, _id },
    { $inc: { count }, $setOnInsert: { minute, draft: JSON.stringify(draft) } },
    { upsert: true, session: tx },
  );
}

/** Some of those whose minute is over. */
export async function endedBefore(minute: number, limit: number): Promise<RefusalDocument[]> {
  return RefusalModel.find({ minute: mongoose.trusted({ $lt: minute }) })
    .limit(limit)
    .lean();
}

export function entryOfRefusal({ organizationId, draft, count }: RefusalDocument): NewEntry {
  return { organizationId, ...(JSON.parse(draft) as AuditDraft), count };
}

export async function removeRefusal({ organizationId, _id }: RefusalDocument): Promise<void> {
  await RefusalModel.deleteOne({ organizationId, _id });
}
