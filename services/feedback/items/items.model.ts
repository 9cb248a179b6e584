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
  pageUrl: string | null;
  locale: string | null;
  origin: string | null;
  /** Keyed hash of the sender's address. */
  ipHash: string;
  /** SHA-256 of what was submitted: tells a repeated submission from another one under the same idempotency key. */
  contentHash: string;
  /**
   * The words that a search looks in (libs/runtime/text/words.ts). They are read item by item, and not found by an index as those of work items are:
   * its entries would cost the database 25 times what storing the item does (`npm run bench -- inbox`), which a burst of submissions would have
   * to pay, for searches that are few.
   */
  searchText: string;
  linkedWorkItemIds: string[];
  createdAt: Date;
  updatedAt: Date;
}

const nullableText = { type: String, default: null };

const itemSchema = new mongoose.Schema<ItemDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    sourceId: { type: String, required: true },
    status: { type: String, required: true },
    message: { type: String, required: true },
    category: { type: String, required: true },
    email: nullableText,
    pageUrl: nullableText,
    locale: nullableText,
    origin: nullableText,
    ipHash: { type: String, required: true },
    contentHash: { type: String, required: true },
    searchText: { type: String, required: true },
    linkedWorkItemIds: { type: [String], required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'items', versionKey: false },
);
itemSchema.index({ organizationId: 1, _id: 1 });
itemSchema.index({ organizationId: 1, createdAt: -1, _id: -1 });
itemSchema.index({ organizationId: 1, linkedWorkItemIds: 1 });

export const ItemModel = mongoose.model('FeedbackItem', itemSchema);
