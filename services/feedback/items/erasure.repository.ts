import { oneOf } from '@worktrack/runtime/database/one-of';
import type { Scope } from '@worktrack/runtime/database/scope';
import mongoose from 'mongoose';
import { placesOf } from '../sources/sources.repository.ts';
import { tell } from '../tell.ts';
import type { TellingScope } from '../telling-scope.ts';
import { type ItemDocument, ItemModel } from './items.model.ts';
import { TOLD_OF, tellOfReceipt } from './received.repository.ts';

/** How many items one transaction erases and reports. */
const BATCH = 500;

/** What an erasure needs to know about an item before its texts are gone. */
export type ErasableItem = Pick<ItemDocument, '_id' | 'sourceId' | 'message' | 'createdAt'>;
const FIELDS = { sourceId: 1, message: 1, createdAt: 1, erasedAt: 1 } as const;

/** Two spellings of one address: letter case is the only thing that all mail services agree to ignore. */
export function emailKeyOf(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/** Items that contain what this address submitted, in batches. They may be erased while they are being read. */
export function itemsOfSender({ caller: { organizationId } }: Scope, email: string): AsyncIterable<ErasableItem[]> {
  return batches({ organizationId, emailKey: emailKeyOf(email) });
}

/** Those of a source that were created in the given time, both ends excluded. */
export function itemsOfSource(
  { caller: { organizationId } }: Scope,
  sourceId: string,
  after: Date,
  before: Date,
): AsyncIterable<ErasableItem[]> {
  return batches({ organizationId, sourceId, createdAt: mongoose.trusted({ $gt: after, $lt: before }) });
}

/** What is already erased is filtered out here: with one condition beyond the index, some databases would read the whole collection. */
async function* batches(filter: object): AsyncGenerator<ErasableItem[]> {
  let batch: ErasableItem[] = [];
  for await (const item of ItemModel.find(filter, FIELDS).lean().cursor({ batchSize: BATCH })) {
    if (item.erasedAt) continue;
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Removes everything that these items' senders wrote, and what was derived from it. */
export async function eraseTexts(scope: TellingScope, ids: readonly string[]): Promise<void> {
  const { caller, tx } = scope;
  const { organizationId } = caller;
  const now = new Date();
  const which = { organizationId, _id: oneOf(ids) };
  const found = await ItemModel.find(which, { ...TOLD_OF, erasedAt: 1 }, { session: tx }).lean();
  // Somebody else may have erased some of them since they were read.
  const items = found.filter(({ erasedAt }) => erasedAt === undefined);
  if (items.length === 0) return;
  await ItemModel.updateMany(
    { organizationId, _id: oneOf(items.map(({ _id }) => _id)) },
    {
      $set: {
        message: '',
        email: null,
        pageUrl: null,
        locale: null,
        origin: null,
        ipHash: '',
        contentHash: '',
        searchText: '',
        updatedAt: now,
        erasedAt: now,
      },
      $inc: { revision: 1 },
      $unset: { emailKey: 1, unpublished: 1 },
    },
    { session: tx },
  );
  const places = await placesOf(items, tx);
  for (const item of items) {
    tellOfReceipt(scope, item, places);
    const { _id: id, sourceId, revision = 0 } = item;
    const subject = { kind: 'feedback', id } as const;
    tell(scope, {
      type: 'feedback.erased',
      subject,
      ...places.get(sourceId),
      revision: revision + 1,
      data: { sourceId },
    });
  }
}
