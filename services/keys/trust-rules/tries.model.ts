import { date, mixed, text } from '@worktrack/runtime/database/documents/fields';
import { schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** Why a JWT that names a rule was refused. */
export interface Try {
  /** Missing in what the first versions stored. */
  id?: string;
  at: Date;
  mismatches: { claim: string; expected: string; got: string }[];
}

/** The last refused tries of a rule, oldest first. Those that the issuer has signed are apart, so that nobody's inventions push them out. */
const fields = {
  _id: text(),
  organizationId: text(),
  ruleId: text(),
  tries: mixed<Try[]>(),
  updatedAt: date(),
};

export const TRIES_KEPT_DAYS = 7;

const triesSchema = schemaOf(fields, { collection: 'trust_tries' });
triesSchema.index({ organizationId: 1, _id: 1 });
triesSchema.index({ updatedAt: 1 }, { expireAfterSeconds: TRIES_KEPT_DAYS * 24 * 60 * 60 });

export const TriesModel = mongoose.model('TrustTries', triesSchema);
