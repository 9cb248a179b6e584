import mongoose from 'mongoose';

/** An entry in its place. */
export interface EntryRecord {
  /** The entry's id: the database itself refuses a duplicate. */
  _id: string;
  organizationId: string;
  seq: number;
  hash: string;
  /** The whole entry without `hash`, as JSON: what its hash was computed over, and what is shown. The fields below only find it. */
  data: string;
  action: string;
  /** The key or the like, and its user. */
  actorIds: string[];
  targetIds: string[];
  at: Date;
  /** What its retention counts from. Different for all of an organization, and in the order of `seq`. */
  enteredAt: Date;
}

const entrySchema = new mongoose.Schema<EntryRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    seq: { type: Number, required: true },
    hash: { type: String, required: true },
    data: { type: String, required: true },
    action: { type: String, required: true },
    actorIds: { type: [String], required: true },
    targetIds: { type: [String], required: true },
    at: { type: Date, required: true },
    enteredAt: { type: Date, required: true },
  },
  { collection: 'audit', versionKey: false },
);
// Two entries never share a place, whatever their writers believe: so the chain never forks. Expiry depends on a setting (../retention.repository.ts).
entrySchema.index({ organizationId: 1, seq: 1 }, { unique: true });
entrySchema.index({ organizationId: 1, enteredAt: -1, _id: -1 });
entrySchema.index({ organizationId: 1, action: 1, enteredAt: -1, _id: -1 });
entrySchema.index({ organizationId: 1, actorIds: 1, enteredAt: -1, _id: -1 });
entrySchema.index({ organizationId: 1, targetIds: 1, enteredAt: -1, _id: -1 });

export const EntryModel = mongoose.model('AuditEntry', entrySchema);
