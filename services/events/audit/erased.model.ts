import { text } from '@worktrack/runtime/database/documents/fields';
import { schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** A user whose name and addresses were erased, and are to stay so. */
const fields = {
  /** Made of organization and user. */
  _id: text(),
  organizationId: text(),
  userId: text(),
};

const erasedSchema = schemaOf(fields, { collection: 'audit_erased' });
erasedSchema.index({ organizationId: 1, _id: 1 });

export const ErasedUserModel = mongoose.model('AuditErased', erasedSchema);
