import mongoose from 'mongoose';

/** What one caller was refused of one kind in one minute, until that becomes an entry. */
export interface RefusalDocument {
  /** Made of organization, caller, action and minute. */
  _id: string;
  organizationId: string;
  /** Since 1970. */
  minute: number;
  count: number;
  /** The entry that it becomes, without its count, as JSON. */
  draft: string;
}

const refusalSchema = new mongoose.Schema<RefusalDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    minute: { type: Number, required: true },
    count: { type: Number, required: true },
    draft: { type: String, required: true },
  },
  { collection: 'audit_refusals', versionKey: false },
);
refusalSchema.index({ minute: 1 });
refusalSchema.index({ organizationId: 1, _id: 1 });

export const RefusalModel = mongoose.model('AuditRefusal', refusalSchema);
