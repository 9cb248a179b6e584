import mongoose from 'mongoose';

/** Why a JWT that names a rule was refused. */
export interface Try {
  /** Missing in what the first versions stored. */
  id?: string;
  at: Date;
  mismatches: { claim: string; expected: string; got: string }[];
}

/** The last refused tries of a rule, oldest first. Those that the issuer has signed are apart, so that nobody's inventions push them out. */
export interface TriesDocument {
  _id: string;
  organizationId: string;
  ruleId: string;
  tries: Try[];
  updatedAt: Date;
}

export const TRIES_KEPT_DAYS = 7;

const triesSchema = new mongoose.Schema<TriesDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    ruleId: { type: String, required: true },
    tries: { type: mongoose.Schema.Types.Mixed, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'trust_tries', versionKey: false },
);
triesSchema.index({ organizationId: 1, _id: 1 });
triesSchema.index({ updatedAt: 1 }, { expireAfterSeconds: TRIES_KEPT_DAYS * 24 * 60 * 60 });

export const TriesModel = mongoose.model('TrustTries', triesSchema);
