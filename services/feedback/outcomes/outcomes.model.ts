import { OUTCOME_DAYS } from '@worktrack/contracts/feedback/outcomes';
import { date, number, optional, text } from '@worktrack/runtime/database/documents/fields';
import { schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const DAY_SECONDS = 24 * 60 * 60;

const count = optional(number());

/** What became of the submissions to a source on one day. */
const fields = {
  /** `<source id> <day>` */
  _id: text(),
  organizationId: text(),
  /** When the day began. */
  at: date(),
  accepted: count,
  duplicate: count,
  rate: count,
  quota: count,
  captcha: count,
  origin: count,
  invalid: count,
};

const outcomesSchema = schemaOf(fields, { collection: 'outcomes' });
outcomesSchema.index({ at: 1 }, { expireAfterSeconds: (OUTCOME_DAYS + 1) * DAY_SECONDS });

export const OutcomesModel = mongoose.model('Outcomes', outcomesSchema);
