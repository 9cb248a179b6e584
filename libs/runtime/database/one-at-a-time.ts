import mongoose from 'mongoose';
import { number, text } from './documents/fields.ts';
import { schemaOf } from './documents/schema.ts';
import { isDuplicateKey } from './duplicate-key.ts';
import type { Scope } from './scope.ts';
import { conflict } from './transaction.ts';
import type { TransactionScope } from './writes/commit-alone.ts';

const fields = {
  /** `<organization>/<what is counted>` */
  _id: text(),
  count: number(),
};

const ExclusionModel = mongoose.model('Exclusion', schemaOf(fields, { collection: 'exclusions' }));

/**
 * Makes this transaction conflict with every other one of the organization that names the same: of two at once, one runs again on the other's result.
 * For rules about how many there are, such as a maximum: otherwise both would count what the other does not see, and both would find room. Called after the
 * count, so that a refusal waits for nobody.
 */
export async function oneAtATime(
  { caller, tx, writes }: TransactionScope & Pick<Scope, 'caller'>,
  what: string,
): Promise<void> {
  const _id = `${caller.organizationId}/${what}`;
  writes.claim(ExclusionModel, _id);
  try {
    await ExclusionModel.updateOne({ _id }, { $inc: { count: 1 } }, { session: tx, upsert: true });
  } catch (error) {
    // Two made the first one.
    throw isDuplicateKey(error) ? conflict() : error;
  }
}
