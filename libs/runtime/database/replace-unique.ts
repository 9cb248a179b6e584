import type { ClientSession } from 'mongoose';
import type { AnyModel } from './walk-index.ts';

interface Owned {
  readonly _id: string;
  readonly organizationId: string;
}

/**
 * Replaces a document of which a unique value changes. Not by an update: the index of some servers keeps the value that an update has changed, and refuses it
 * to every other document.
 * @throws a duplicate key error, if another document has the new value
 */
export async function replaceUnique(model: AnyModel, document: Owned, tx: ClientSession): Promise<void> {
  const { organizationId, _id } = document;
  await model.deleteOne({ organizationId, _id }, { session: tx });
  await model.insertMany([document], { session: tx, lean: true });
}
