import type { Permission } from '@worktrack/contracts/permissions';
import { text, texts } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** A role that the organization made. Its users name it by its id; built-in roles are not stored. */
const fields = {
  _id: text(),
  organizationId: text(),
  name: text(),
  /** Lower-cased: no two roles differ only in case. */
  uniqueName: text(),
  permissions: texts<Permission>(),
};

export type RoleDocument = Stored<typeof fields>;

const roleSchema = schemaOf(fields, { collection: 'roles' });
roleSchema.index({ organizationId: 1, _id: 1 });
roleSchema.index({ organizationId: 1, uniqueName: 1 }, { unique: true });

export const RoleModel = mongoose.model('Role', roleSchema);
