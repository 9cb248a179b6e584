import { date, text } from '@worktrack/runtime/database/documents/fields';
import { schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/**
 * A deleted source. It is kept while a gateway may still admit a submission to it (changes take effect within two seconds), and until the daily pass has erased
 * any late submissions.
 */
const fields = {
  _id: text(),
  organizationId: text(),
  deletedAt: date(),
};

const deletedSourceSchema = schemaOf(fields, { collection: 'deletedSources' });
deletedSourceSchema.index({ deletedAt: 1 });

export const DeletedSourceModel = mongoose.model('DeletedSource', deletedSourceSchema);
