import { date, mixed, number, optional, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';
import type { PublicJwk } from '../trust-rules/trust-rules.model.ts';

/** The keys of an issuer. They are public, and the same for all organizations. */
const fields = {
  /** The issuer. */
  _id: text(),
  keys: optional(mixed<PublicJwk[]>()),
  /** How many more it had than are kept. */
  leftOut: optional(number()),
  /** When those that are here were asked for. */
  fetchedAt: optional(date()),
  /** When the issuer was last asked, and when that failed. */
  triedAt: date(),
  failedAt: optional(date()),
  /** Why, in a sentence. */
  failure: optional(text()),
};

export type IssuerKeysDocument = Stored<typeof fields>;

const KEPT_SECONDS = 7 * 24 * 60 * 60;

const issuerKeysSchema = schemaOf(fields, { collection: 'issuer_keys' });
issuerKeysSchema.index({ triedAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export const IssuerKeysModel = mongoose.model('IssuerKeys', issuerKeysSchema);
