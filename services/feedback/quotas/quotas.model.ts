import { number, text } from '@worktrack/runtime/database/documents/fields';
import { schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const fields = {
  /** The organization. */
  _id: text(),
  perDay: number(),
};

const quotaSchema = schemaOf(fields, { collection: 'quotas' });

export const QuotaModel = mongoose.model('Quota', quotaSchema);
