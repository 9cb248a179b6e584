import mongoose from 'mongoose';

/** Content in GridFS that no attachment names: not yet, or no longer. */
export interface UnnamedContent {
  /** The file in GridFS. */
  _id: string;
  since: Date;
}

const unnamedContentSchema = new mongoose.Schema<UnnamedContent>(
  { _id: { type: String, required: true }, since: { type: Date, required: true } },
  { collection: 'unnamedContent', versionKey: false },
);
unnamedContentSchema.index({ since: 1 });

export const UnnamedContentModel = mongoose.model('UnnamedContent', unnamedContentSchema);
