import { OUTCOME_DAYS, type Outcome } from '@worktrack/contracts/feedback/outcomes';
import mongoose from 'mongoose';

const DAY_SECONDS = 24 * 60 * 60;

/** What became of the submissions to a source on one day. */
export interface OutcomesDocument extends Partial<Record<Outcome, number>> {
  /** `<source id> <day>` */
  _id: string;
  organizationId: string;
  at: Date;
}

const outcomesSchema = new mongoose.Schema<OutcomesDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    /** When the day began. */
    at: { type: Date, required: true },
    accepted: Number,
    duplicate: Number,
    rate: Number,
    quota: Number,
    captcha: Number,
    origin: Number,
    invalid: Number,
  },
  { collection: 'outcomes', versionKey: false },
);
outcomesSchema.index({ at: 1 }, { expireAfterSeconds: (OUTCOME_DAYS + 1) * DAY_SECONDS });

export const OutcomesModel = mongoose.model('Outcomes', outcomesSchema);
