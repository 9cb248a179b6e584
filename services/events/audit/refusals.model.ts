import { number, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** What one caller was refused of one kind in one minute, until that becomes an entry. */
const fields = {
  /** Made of organization, caller, action and minute; that of the entry once nothing is added any more. */
  _id: text(),
  organizationId: text(),
  /** Since 1970. */
  minute: number(),
  count: number(),
  /** The entry that it becomes, without its count, as JSON. */
  draft: text(),
};

export type RefusalDocument = Stored<typeof fields>;

const refusalSchema = schemaOf(fields, { collection: 'audit_refusals' });
refusalSchema.index({ minute: 1 });
refusalSchema.index({ organizationId: 1, _id: 1 });

export const RefusalModel = mongoose.model('AuditRefusal', refusalSchema);
