import type { Category, Status } from '@worktrack/contracts/feedback/records';
import mongoose from 'mongoose';

export interface ItemDocument {
  /** Made by the gateway from the submission's idempotency key: storing it again is a duplicate key. */
  _id: string;
  organizationId: string;
  sourceId: string;
  status: Status;
  message: string;
  category: Category;
  email: string | null;
  /** The key by which its sender is found, to erase what they submitted (erasure.ts). Absent without an address. */
  emailKey?: string;
  pageUrl: string | null;
  locale: string | null;
  origin: string | null;
  /** Keyed hash of the sender's address. */
  ipHash: string;
  /** SHA-256 of what was submitted: distinguishes a repeated submission from a different one with the same idempotency key. */
  contentHash: string;
  /**
   * The words that a search looks in (libs/runtime/text/words.ts). They are read item by item rather than found through an index like those of work items:
   * index entries would cost the database 25 times what storing the item does (`npm run bench -- inbox`), which a burst of submissions would have
   * to pay for the sake of a few searches.
   */
  searchText: string;
  linkedWorkItemIds: string[];
  createdAt: Date;
  updatedAt: Date;
  /** Incremented by each change: orders the item's events. Absent in records stored by earlier versions. */
  revision?: number;
  /** Its receipt is not in the log yet: it is its own outbox (received.repository.ts), since the intake has no transaction. */
  unpublished?: true;
  /** Since when the texts are gone. */
  erasedAt?: Date;
}

const nullableText = { type: String, default: null };
const erasableText = { type: String, default: '' };

const itemSchema = new mongoose.Schema<ItemDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    sourceId: { type: String, required: true },
    status: { type: String, required: true },
    // Empty once erased, as are the hashes.
    message: erasableText,
    category: { type: String, required: true },
    email: nullableText,
    emailKey: { type: String },
    pageUrl: nullableText,
    locale: nullableText,
    origin: nullableText,
    ipHash: erasableText,
    contentHash: erasableText,
    searchText: erasableText,
    linkedWorkItemIds: { type: [String], required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    revision: Number,
    unpublished: Boolean,
    erasedAt: { type: Date },
  },
  { collection: 'items', versionKey: false },
);
itemSchema.index({ organizationId: 1, createdAt: -1, _id: -1 });
itemSchema.index({ organizationId: 1, linkedWorkItemIds: 1, createdAt: 1, _id: 1 });
// What the end of a source, or its retention, erases.
itemSchema.index({ organizationId: 1, sourceId: 1, createdAt: -1, _id: -1 });
// Across all organizations, and usually empty.
itemSchema.index({ unpublished: 1 }, { partialFilterExpression: { unpublished: true } });
itemSchema.index({ organizationId: 1, emailKey: 1 }, { partialFilterExpression: { emailKey: { $exists: true } } });

export const ItemModel = mongoose.model('FeedbackItem', itemSchema);
