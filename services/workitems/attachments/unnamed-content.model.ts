import { date, text } from '@worktrack/runtime/database/documents/fields';
import { schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** Content in GridFS that no attachment names: not yet, or no longer. */
const fields = {
  /** The file in GridFS. */
  _id: text(),
  since: date(),
};

const unnamedContentSchema = schemaOf(fields, { collection: 'unnamedContent' });
unnamedContentSchema.index({ since: 1 });

export const UnnamedContentModel = mongoose.model('UnnamedContent', unnamedContentSchema);
