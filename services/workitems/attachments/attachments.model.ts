import mongoose from 'mongoose';

export interface AttachmentRecord {
  _id: string;
  organizationId: string;
  workItemId: string;
  fileName: string;
  mimeType: string;
  sizeBytes: number;
  sha256: string;
  uploadedBy: string | null;
  metadata: Record<string, unknown>;
  /** The file in GridFS. */
  contentId: string;
  createdAt: Date;
}

const attachmentSchema = new mongoose.Schema<AttachmentRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    workItemId: { type: String, required: true },
    fileName: { type: String, required: true },
    mimeType: { type: String, required: true },
    sizeBytes: { type: Number, required: true },
    sha256: { type: String, required: true },
    uploadedBy: { type: String, default: null },
    metadata: { type: mongoose.Schema.Types.Mixed, default: {} },
    contentId: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'attachments', versionKey: false, minimize: false },
);
// A file is fetched by name, so names are unique within an item.
attachmentSchema.index({ organizationId: 1, workItemId: 1, fileName: 1 }, { unique: true });
// All of an item's, oldest first.
attachmentSchema.index({ organizationId: 1, workItemId: 1, _id: 1 });

export const AttachmentModel = mongoose.model('Attachment', attachmentSchema);
