import mongoose from 'mongoose';

/** A user whose name and addresses were erased, and are to stay so. */
export interface ErasedUser {
  /** Made of organization and user. */
  _id: string;
  organizationId: string;
  userId: string;
}

const erasedSchema = new mongoose.Schema<ErasedUser>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    userId: { type: String, required: true },
  },
  { collection: 'audit_erased', versionKey: false },
);
erasedSchema.index({ organizationId: 1, _id: 1 });

export const ErasedUserModel = mongoose.model('AuditErased', erasedSchema);
