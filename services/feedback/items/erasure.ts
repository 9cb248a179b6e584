import type { deleteFeedback, eraseSender as eraseSenderOp } from '@worktrack/contracts/feedback/erasure';
import type { FeedbackItem } from '@worktrack/contracts/feedback/records';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext, StagedContext, WriteContext } from '@worktrack/runtime/database/handlers/contexts';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import { DUPLICATE_WINDOW_MS, type Duplicates, reservationOf } from '@worktrack/runtime/redis/duplicates';
import type { TellingScope } from '../telling-scope.ts';
import { type ErasableItem, eraseTexts, itemsOfSender } from './erasure.repository.ts';
import { requireItem } from './inbox.ts';
import { itemById } from './items.repository.ts';

/**
 * Erases one item: what was submitted is removed from the database and from Redis, the item stays with its id, status and links. No record of an earlier answer
 * contains it (`textless`), so there is nothing else to look for.
 */
export async function deleteItem(
  duplicates: Duplicates,
  { id }: Input<typeof deleteFeedback>,
  context: WriteContext<'NOT_FOUND'>,
): Promise<Output<typeof deleteFeedback>> {
  const { sourceId, message, createdAt, erasedAt } = await requireItem(id, context);
  if (erasedAt === undefined) {
    await forget(duplicates, [{ _id: id, sourceId, message, createdAt: new Date(createdAt) }]);
    await eraseTexts(context, [id]);
  }
  return { deleted: true, id };
}

/** In batches, each on its own: a call that is interrupted has erased that much, and repeating it erases the rest. */
export async function eraseSender(
  duplicates: Duplicates,
  { email }: Input<typeof eraseSenderOp>,
  context: StagedContext<never, Output<typeof eraseSenderOp>>,
): Promise<Output<typeof eraseSenderOp>> {
  const erased = await eraseAll(duplicates, context, itemsOfSender(context, email));
  return context.commit(async () => ({ erased }));
}

/** @returns how many */
export async function eraseAll(
  duplicates: Duplicates,
  { caller }: Pick<TellingScope, 'caller'>,
  batches: AsyncIterable<ErasableItem[]>,
): Promise<number> {
  let erased = 0;
  for await (const batch of batches) {
    await forget(duplicates, batch);
    const ids = batch.map(({ _id }) => _id);
    await commitAlone((scope) => eraseTexts({ caller, ...scope }, ids));
    erased += batch.length;
  }
  return erased;
}

/** Before the messages are gone, since they determine which hashes are theirs. If it fails after this, a duplicate may be stored: no harm done. */
function forget(duplicates: Duplicates, items: readonly ErasableItem[]): Promise<void> {
  const sinceMs = Date.now() - DUPLICATE_WINDOW_MS;
  const recent = items.filter(({ createdAt }) => createdAt.getTime() > sinceMs);
  return duplicates.release(recent.map(({ _id, sourceId, message }) => reservationOf(sourceId, message, _id)));
}

/** What is recorded of an answer: a record lives for a day, and an erased text must not be found there. */
export function textless(item: FeedbackItem): FeedbackItem {
  return { ...item, message: '', email: null, pageUrl: null, locale: null, origin: null };
}

/** The answer of a replay: the same as the first time, except for texts erased since. */
export async function withTexts(recorded: FeedbackItem, context: ReadContext<'NOT_FOUND'>): Promise<FeedbackItem> {
  const item = await itemById(context, recorded.id);
  if (!item) return recorded;
  const { message, email, pageUrl, locale, origin, erasedAt } = item;
  return { ...recorded, message, email, pageUrl, locale, origin, ...(erasedAt !== undefined && { erasedAt }) };
}
