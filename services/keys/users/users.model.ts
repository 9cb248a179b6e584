import { date, flag, nullable, number, optional, text, texts } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const fields = {
  _id: text(),
  organizationId: text(),
  /** Lower-cased by the contract. */
  email: text(),
  name: text(),
  /** The name as mentions write it. Absent in records stored by earlier versions, until they are migrated. */
  handle: optional(text()),
  /** The name of a built-in role, or the id of a custom one. */
  role: text(),
  /** The only projects that exist for the user. Absent, or null: all. */
  projects: optional(nullable(texts())),
  disabled: flag(),
  /** Incremented by each change: orders the user's events. Absent in records stored by earlier versions. */
  revision: optional(number()),
  createdAt: date(),
  updatedAt: date(),
};

export type UserDocument = Stored<typeof fields>;

const userSchema = schemaOf(fields, { collection: 'users' });
userSchema.index({ organizationId: 1, _id: 1 });
userSchema.index({ organizationId: 1, email: 1 }, { unique: true });
userSchema.index({ organizationId: 1, handle: 1 });
userSchema.index({ organizationId: 1, role: 1, disabled: 1 });

export const UserModel = mongoose.model('User', userSchema);
