import type { Category, Status } from '@worktrack/contracts/feedback/records';
import {
  date,
  flag,
  nullable,
  number,
  optional,
  text,
  texts,
  withDefault,
} from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** Empty once erased. */
const erasableText = withDefault(text(), '');

const fields = {
  /** Made by the gateway from the submission's idempotency key: storing it again is a duplicate key. */
  _id: text(),
  organizationId: text(),
  sourceId: text(),
  status: text<Status>(),
  message: erasableText,
  category: text<Category>(),
  email: nullable(text()),
  /** The key by which its sender is found, to erase what they submitted (erasure.ts). Absent without an address. */
  emailKey: optional(text()),
  pageUrl: nullable(text()),
  locale: nullable(text()),
  origin: nullable(text()),
  /** Keyed hash of the sender's address. */
  ipHash: erasableText,
  /** SHA-256 of what was submitted: distinguishes a repeated submission from a different one with the same idempotency key. */
  contentHash: erasableText,
  /**
   * The words that a search looks in (libs/runtime/text/words.ts). They are read item by item rather than found through an index like those of work items.
   * Index entries would cost the database 25 times as much as storing the item (`npm run bench -- inbox`). A burst of submissions would pay that for the sake
   * of a few searches.
   */
  searchText: erasableText,
  linkedWorkItemIds: texts(),
  createdAt: date(),
  updatedAt: date(),
  /** Incremented by each change: orders the item's events. Absent in records stored by earlier versions. */
  revision: optional(number()),
  /** Its receipt is not in the log yet: it is its own outbox (received.repository.ts), since the intake has no transaction. */
  unpublished: optional(flag<true>()),
  /** Since when the texts are gone. */
  erasedAt: optional(date()),
};

export type ItemDocument = Stored<typeof fields>;

const itemSchema = schemaOf(fields, { collection: 'items' });
itemSchema.index({ organizationId: 1, createdAt: -1, _id: -1 });
// What is new is few among all that there is, and is asked for most: by agents, and five times over by the inbox, which counts each status.
itemSchema.index({ organizationId: 1, status: 1, createdAt: -1, _id: -1 });
itemSchema.index({ organizationId: 1, linkedWorkItemIds: 1, createdAt: 1, _id: 1 });
// What the end of a source, or its retention, erases.
itemSchema.index({ organizationId: 1, sourceId: 1, createdAt: -1, _id: -1 });
// Across all organizations, and usually empty.
itemSchema.index({ unpublished: 1 }, { partialFilterExpression: { unpublished: true } });
itemSchema.index({ organizationId: 1, emailKey: 1 }, { partialFilterExpression: { emailKey: { $exists: true } } });

export const ItemModel = mongoose.model('FeedbackItem', itemSchema);
