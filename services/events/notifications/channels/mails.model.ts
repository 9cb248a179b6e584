import { date, number, text } from '@worktrack/runtime/database/documents/fields';
import { schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const LIFE_SECONDS = 2 * 24 * 60 * 60;

/** How many mails an address got at once on a day. */
const fields = {
  /** Made of the day and a hash of the address. */
  _id: text(),
  organizationId: text(),
  count: number(),
  at: date(),
};

const mailsSchema = schemaOf(fields, { collection: 'mails_at_once' });
mailsSchema.index({ organizationId: 1, _id: 1 });
mailsSchema.index({ at: 1 }, { expireAfterSeconds: LIFE_SECONDS });

export const MailsModel = mongoose.model('MailsAtOnce', mailsSchema);
