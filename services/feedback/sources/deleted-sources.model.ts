import mongoose from 'mongoose';

/**
 * A deleted source, kept for as long as a gateway may still admit a submission to it (changes take effect within two seconds) and until the daily pass has
 * erased any late submissions.
 */
export interface DeletedSourceDocument {
  _id: string;
  organizationId: string;
  deletedAt: Date;
}

const deletedSourceSchema = new mongoose.Schema<DeletedSourceDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    deletedAt: { type: Date, required: true },
  },
  { collection: 'deletedSources', versionKey: false },
);
deletedSourceSchema.index({ deletedAt: 1 });

export const DeletedSourceModel = mongoose.model('DeletedSource', deletedSourceSchema);
