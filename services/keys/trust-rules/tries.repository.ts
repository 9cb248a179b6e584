import { MAX_TRIES } from '@worktrack/contracts/keys/trust-rules';
import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import { TRIES_KEPT_DAYS, TriesModel, type Try } from './tries.model.ts';
import type { TrustRuleDocument } from './trust-rules.model.ts';

const KEPT_MS = TRIES_KEPT_DAYS * 24 * 60 * 60_000;

const idOf = (ruleId: string, isSigned: boolean) => `${ruleId}/${isSigned ? 'signed' : 'unsigned'}`;

/**
 * @param refused oldest first, at least one
 * @param isSigned by the rule's issuer
 */
export async function storeTries(rule: TrustRuleDocument, refused: readonly Try[], isSigned: boolean): Promise<void> {
  const { organizationId, _id: ruleId } = rule;
  const push = () =>
    TriesModel.updateOne(
      { organizationId, _id: idOf(ruleId, isSigned) },
      {
        $push: { tries: { $each: [...refused], $slice: -MAX_TRIES } },
        $set: { updatedAt: refused.at(-1)?.at },
        $setOnInsert: { ruleId },
      },
      { upsert: true },
    );
  try {
    await push();
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // Two made the first one.
    await push();
  }
}

/** The last ones, newest first; of those that nobody has signed, what there is room for. */
export async function triesOf({ caller: { organizationId } }: Scope, ruleId: string): Promise<Try[]> {
  const read = async (isSigned: boolean) => {
    const found = await TriesModel.findOne({ organizationId, _id: idOf(ruleId, isSigned) }).lean();
    const since = Date.now() - KEPT_MS;
    return (found?.tries ?? []).filter(({ at }) => at.getTime() >= since).reverse();
  };
  const [signed, unsigned] = await Promise.all([read(true), read(false)]);
  return [...signed, ...unsigned].slice(0, MAX_TRIES).sort((one, other) => other.at.getTime() - one.at.getTime());
}

/** With their rule. */
export async function removeTries({ caller, tx }: TransactionalScope, ruleId: string): Promise<void> {
  const { organizationId } = caller;
  for (const isSigned of [true, false]) {
    await TriesModel.deleteOne({ organizationId, _id: idOf(ruleId, isSigned) }, { session: tx });
  }
}
