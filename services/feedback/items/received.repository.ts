import { hash } from 'node:crypto';
import type { PublishedEvent } from '@worktrack/contracts/events/event';
import { emitAgain, tellEmitted } from '@worktrack/runtime/database/outbox/outbox.repository';
import { databaseServer } from '@worktrack/runtime/database/server';
import { uuidv7At } from '@worktrack/runtime/process/uuid';
import { type Places, placesOf } from '../sources/sources.repository.ts';
import type { TellingScope } from '../telling-scope.ts';
import { type ItemDocument, ItemModel } from './items.model.ts';

/** A burst of submissions is published in hundreds. */
const TELL_EVERY_MS = 500;

/** An item's revision on receipt. */
export const RECEIVED_REVISION = 1;

/** What has to be read of an item to report it. */
export const TOLD_OF = { organizationId: 1, sourceId: 1, createdAt: 1, revision: 1, unpublished: 1 } as const;
type Told = Pick<ItemDocument, '_id' | 'organizationId' | 'sourceId' | 'createdAt' | 'unpublished'>;

/**
 * The event of an item's receipt. A submission is stored without a transaction, so that it costs one insert, and is marked until this is published. The event
 * is derived from the item, with its id, so that it is the same whichever process makes it, and however often.
 */
function receiptOf({ _id, organizationId, sourceId, createdAt }: Told, places: Places): PublishedEvent {
  return {
    id: uuidv7At(createdAt, hash('sha256', _id, 'buffer')),
    organizationId,
    type: 'feedback.received',
    at: createdAt.toISOString(),
    actor: null,
    ...places.get(sourceId),
    subject: { kind: 'feedback', id: _id },
    revision: RECEIVED_REVISION,
    data: { sourceId },
  };
}

/** Before anything else is reported about an item, by the write that removes its mark: so nothing about an item is published before its receipt. */
export function tellOfReceipt({ writes }: TellingScope, item: Told, places: Places): void {
  if (item.unpublished) emitAgain(writes, receiptOf(item, places));
}

let telling: NodeJS.Timeout | undefined;

/** Items have been stored: their receipts are published soon. */
export function tellReceived(): void {
  if (telling) return;
  telling = setTimeout(() => {
    telling = undefined;
    tellEmitted();
  }, TELL_EVERY_MS).unref();
}

/** Receipts still to be published, across all organizations: a second outbox of this service. */
export const receipts = {
  /** Any of them: published ones are no longer among them. */
  async next(limit: number): Promise<readonly PublishedEvent[]> {
    const items = await ItemModel.find({ unpublished: true }, TOLD_OF).limit(limit).lean();
    const places = await placesOf(items);
    return items.map((item) => receiptOf(item, places));
  },

  /** Any other event about an item has already removed its mark. */
  async earlier(): Promise<readonly PublishedEvent[]> {
    return [];
  },

  async remove(events: readonly PublishedEvent[]): Promise<void> {
    if (events.length === 0) return;
    // An update for each: one for all would keep what it has locked while it waits for a transaction.
    const updates = events.map(({ organizationId, subject }) => ({
      updateOne: { filter: { organizationId, _id: subject.id }, update: { $unset: { unpublished: 1 } } },
    }));
    await databaseServer().inOneCommit(updates.length, (options) => ItemModel.bulkWrite(updates, options));
  },
};
