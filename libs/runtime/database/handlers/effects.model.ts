import mongoose from 'mongoose';

/** How long a repeated write returns the first result. */
export const EFFECT_RETENTION_SECONDS = 24 * 60 * 60;

/** The record of one write, created in the transaction of its effect, so that either both exist or neither does. */
export interface EffectRecord {
  /** `<organization>:<idempotency key>` */
  _id: string;
  operation: string;
  /** Hash of the session's project and the canonical input; see effects.repository.ts. */
  inputHash: string;
  /** The items that the input names, in the order of the canonical input. */
  names?: string[];
  /** The result as JSON. */
  answer: string;
  createdAt: Date;
}

const effectSchema = new mongoose.Schema<EffectRecord>(
  {
    _id: { type: String, required: true },
    operation: { type: String, required: true },
    inputHash: { type: String, required: true },
    names: { type: [String], default: undefined },
    answer: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'effects', versionKey: false },
);
effectSchema.index({ createdAt: 1 }, { expireAfterSeconds: EFFECT_RETENTION_SECONDS });

export const EffectModel = mongoose.model('Effect', effectSchema);
