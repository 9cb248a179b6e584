import { createHash } from 'node:crypto';
import type { AuditDraft } from '@worktrack/contracts/audit/entry';
import type { Refusal } from '@worktrack/contracts/audit/operations';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
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

/**
 * From now on nobody adds to it, under whose id it is not any more: of what is counted later, there is another one, with an entry of its own.
 * @returns none if somebody else has done it
 */
export async function closeRefusal(refusal: RefusalDocument): Promise<RefusalDocument[]> {
  const { organizationId, _id } = refusal;
  if (_id === entryIdOf(refusal)) return [refusal];
  return commitAlone(async ({ tx }) => {
    const counted = await RefusalModel.findOneAndDelete({ organizationId, _id }, { session: tx }).lean();
    if (!counted) return [];
    const closed: RefusalDocument = { ...counted, _id: entryIdOf(counted) };
    await RefusalModel.create([closed], { session: tx });
    return [closed];
  });
}

const entryIdOf = ({ draft }: RefusalDocument) => (JSON.parse(draft) as AuditDraft).id;

export function entryOfRefusal({ organizationId, draft, count }: RefusalDocument): NewEntry {
  return { organizationId, ...(JSON.parse(draft) as AuditDraft), count };
}

export async function removeRefusal({ organizationId, _id }: RefusalDocument): Promise<void> {
  await RefusalModel.deleteOne({ organizationId, _id });
}
