import mongoose from 'mongoose';
import { date, optional, text, texts } from '../documents/fields.ts';
import { type Stored, schemaOf } from '../documents/schema.ts';

/** How long a repeated write returns the first result. */
export const EFFECT_RETENTION_SECONDS = 24 * 60 * 60;

/** The record of one write, created in the transaction of its effect, so that either both exist or neither does. */
const fields = {
  /** `<organization>:<idempotency key>` */
  _id: text(),
  operation: text(),
  /** Hash of the session's project and the canonical input; see effects.repository.ts. */
  inputHash: text(),
  /** The items that the input names, in the order of the canonical input. */
  names: optional(texts()),
  /** The result as JSON. */
  answer: text(),
  /** The call that stored it: the hash of its secret, which is stored nowhere. */
  call: optional(text()),
  /** The whole result, where `answer` leaves out what is shown once, sealed with the secret of that call. */
  sealed: optional(text()),
  /** Names the attempt that stored it, among any number with the same key and result. */
  attempt: optional(text()),
  createdAt: date(),
};

export type EffectRecord = Stored<typeof fields>;

const effectSchema = schemaOf(fields, { collection: 'effects' });
effectSchema.index({ createdAt: 1 }, { expireAfterSeconds: EFFECT_RETENTION_SECONDS });

export const EffectModel = mongoose.model('Effect', effectSchema);
