import mongoose from 'mongoose';

/** A user who was erased, and whom the logs may still name. */
export interface ErasureRecord {
  /** Made of organization and user. */
  _id: string;
  organizationId: string;
  userId: string;
  /** A process is at it until then. Two at once do no harm, but twice the work. */
  heldUntil: Date;
}

const erasureSchema = new mongoose.Schema<ErasureRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    userId: { type: String, required: true },
    heldUntil: { type: Date, required: true },
  },
  { collection: 'erasures', versionKey: false },
);
erasureSchema.index({ organizationId: 1, _id: 1 });
// Across all organizations, and usually empty.
erasureSchema.index({ heldUntil: 1 });

export const ErasureModel = mongoose.model('Erasure', erasureSchema);
