import { date, number, text, texts } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** An entry in its place. */
const fields = {
  /** The entry's id: the database itself refuses a duplicate. */
  _id: text(),
  organizationId: text(),
  seq: number(),
  hash: text(),
  /** The whole entry without `hash`, as JSON: what its hash was computed over, and what is shown. The fields below only find it. */
  data: text(),
  action: text(),
  /** The key or the like, and its user. */
  actorIds: texts(),
  targetIds: texts(),
  at: date(),
  /** What its retention counts from. Different for all of an organization, and in the order of `seq`. */
  enteredAt: date(),
};

export type EntryRecord = Stored<typeof fields>;

const entrySchema = schemaOf(fields, { collection: 'audit' });
// Two entries never share a place, whatever their writers believe: so the chain never forks. Expiry depends on a setting (../retention.repository.ts).
entrySchema.index({ organizationId: 1, seq: 1 }, { unique: true });
entrySchema.index({ organizationId: 1, enteredAt: -1, _id: -1 });
entrySchema.index({ organizationId: 1, action: 1, enteredAt: -1, _id: -1 });
entrySchema.index({ organizationId: 1, actorIds: 1, enteredAt: -1, _id: -1 });
entrySchema.index({ organizationId: 1, targetIds: 1, enteredAt: -1, _id: -1 });

export const EntryModel = mongoose.model('AuditEntry', entrySchema);
