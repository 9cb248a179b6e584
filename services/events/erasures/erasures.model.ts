import { date, optional, text, texts } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** A user who was erased, and whom the logs may still name. */
const fields = {
  /** Made of organization and user. */
  _id: text(),
  organizationId: text(),
  userId: text(),
  /** What the user was called, from the first look until the last one is over. */
  names: optional(texts()),
  /** A process is at it until then. Two at once do no harm, but twice the work. */
  heldUntil: date(),
};

export type ErasureRecord = Stored<typeof fields>;

const erasureSchema = schemaOf(fields, { collection: 'erasures' });
erasureSchema.index({ organizationId: 1, _id: 1 });
// Across all organizations, and usually empty.
erasureSchema.index({ heldUntil: 1 });

export const ErasureModel = mongoose.model('Erasure', erasureSchema);
