import type { Permission } from '@worktrack/contracts/permissions';
import mongoose from 'mongoose';

/** A role that the organization made. Its users name it by its id; built-in roles are not stored. */
export interface RoleDocument {
  _id: string;
  organizationId: string;
  name: string;
  /** Lower-cased: no two roles differ only in case. */
  uniqueName: string;
  permissions: Permission[];
}

const roleSchema = new mongoose.Schema<RoleDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    name: { type: String, required: true },
    uniqueName: { type: String, required: true },
    permissions: { type: [String], required: true },
  },
  { collection: 'roles', versionKey: false },
);
roleSchema.index({ organizationId: 1, _id: 1 });
roleSchema.index({ organizationId: 1, uniqueName: 1 }, { unique: true });

export const RoleModel = mongoose.model('Role', roleSchema);
