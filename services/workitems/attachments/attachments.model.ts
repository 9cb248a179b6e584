import { date, mixed, nullable, number, text, withDefault } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const fields = {
  _id: text(),
  organizationId: text(),
  workItemId: text(),
  fileName: text(),
  mimeType: text(),
  sizeBytes: number(),
  sha256: text(),
  uploadedBy: nullable(text()),
  metadata: withDefault(mixed<Record<string, unknown>>(), {}),
  /** The file in GridFS. */
  contentId: text(),
  createdAt: date(),
};

export type AttachmentRecord = Stored<typeof fields>;

const attachmentSchema = schemaOf(fields, { collection: 'attachments', minimize: false });
// A file is fetched by name, so names are unique within an item.
attachmentSchema.index({ organizationId: 1, workItemId: 1, fileName: 1 }, { unique: true });
// All of an item's, oldest first.
attachmentSchema.index({ organizationId: 1, workItemId: 1, _id: 1 });

export const AttachmentModel = mongoose.model('Attachment', attachmentSchema);
