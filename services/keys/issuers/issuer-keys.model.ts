import mongoose from 'mongoose';
import type { PublicJwk } from '../trust-rules/trust-rules.model.ts';

/** The keys of an issuer. They are public, and the same for all organizations. */
export interface IssuerKeysDocument {
  /** The issuer. */
  _id: string;
  keys?: PublicJwk[];
  /** How many more it had than are kept. */
  leftOut?: number;
  /** When those that are here were asked for. */
  fetchedAt?: Date;
  /** When the issuer was last asked, and when that failed. */
  triedAt: Date;
  failedAt?: Date;
  /** Why, in a sentence. */
  failure?: string;
}

const KEPT_SECONDS = 7 * 24 * 60 * 60;

const issuerKeysSchema = new mongoose.Schema<IssuerKeysDocument>(
  {
    _id: { type: String, required: true },
    keys: mongoose.Schema.Types.Mixed,
    leftOut: Number,
    fetchedAt: Date,
    triedAt: { type: Date, required: true },
    failedAt: Date,
    failure: String,
  },
  { collection: 'issuer_keys', versionKey: false },
);
issuerKeysSchema.index({ triedAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export const IssuerKeysModel = mongoose.model('IssuerKeys', issuerKeysSchema);
