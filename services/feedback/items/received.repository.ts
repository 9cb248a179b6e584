import { hash } from 'node:crypto';
import type { PublishedEvent } from '@worktrack/contracts/events/event';
import { emitAgain } from '@worktrack/runtime/database/outbox.repository';
import { uuidv7At } from '@worktrack/runtime/process/uuid';
import type { TellingScope } from '../telling-scope.ts';
import { type ItemDocument, ItemModel } from './items.model.ts';

/** Of an item as it is received. */
export const RECEIVED_REVISION = 1;

/** What has to be read of an item to tell of it. */
export const TOLD_OF = { organizationId: 1, sourceId: 1, createdAt: 1, revision: 1, unpublished: 1 } as const;
type Told = Pick<ItemDocument, '_id' | 'organizationId' | 'sourceId' | 'createdAt' | 'unpublished'>;

/**
 * That an item was received. A submission is stored without a transaction, so that it costs one insert, and is marked until this is published. The event
 * follows from the item, with its id, so that it is the same whoever makes it and however often.
 */
function receiptOf({ _id, organizationId, sourceId, createdAt }: Told): PublishedEvent {
  return {
    id: uuidv7At(createdAt, hash('sha256', _id, 'buffer')),
    organizationId,
    type: 'feedback.received',
    at: createdAt.toISOString(),
    actor: null,
    subject: { kind: 'feedback', id: _id },
    revision: RECEIVED_REVISION,
    data: { sourceId },
  };
}

/** Before what else is told of an item, by the write that takes its mark away: so nothing of an item is published before its receipt. */
export function tellOfReceipt({ writes }: TellingScope, item: Told): void {
  if (item.unpublished) emitAgain(writes, receiptOf(item));
}

/** Receipts that are still to be published, of all organizations: a second outbox of this service. */
export const receipts = {
  /** Any of them: what was published is not among them any more. */
  async next(limit: number): Promise<readonly PublishedEvent[]> {
    const items = await ItemModel.find({ unpublished: true }, TOLD_OF).limit(limit).lean();
    return items.map(receiptOf);
  },

  /** What else is told of an item has taken its mark away. */
  async earlier(): Promise<readonly PublishedEvent[]> {
    return [];
  },

  async remove(events: readonly PublishedEvent[]): Promise<void> {
    if (events.length === 0) return;
    // An update for each rather than one for all: the stand-in locks itself when an `updateMany` meets a transaction (stand-in/README.md).
    await ItemModel.bulkWrite(
      events.map(({ organizationId, subject }) => ({
        updateOne: { filter: { organizationId, _id: subject.id }, update: { $unset: { unpublished: 1 } } },
      })),
      { ordered: false },
    );
  },
};
