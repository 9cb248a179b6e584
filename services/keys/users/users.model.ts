import mongoose from 'mongoose';

export interface UserDocument {
  _id: string;
  organizationId: string;
  /** Lower-cased by the contract. */
  email: string;
  name: string;
  /** The name as mentions write it. Absent in records stored by earlier versions, until they are migrated. */
  handle?: string;
  /** The name of a built-in role, or the id of a custom one. */
  role: string;
  /** The only projects that exist for the user. Absent, or null: all. */
  projects?: string[] | null;
  disabled: boolean;
  /** Incremented by each change: orders the user's events. Absent in records stored by earlier versions. */
  revision?: number;
  createdAt: Date;
  updatedAt: Date;
}

const userSchema = new mongoose.Schema<UserDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    email: { type: String, required: true },
    name: { type: String, required: true },
    handle: String,
    role: { type: String, required: true },
    projects: { type: [String], default: undefined },
    disabled: { type: Boolean, required: true },
    revision: Number,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'users', versionKey: false },
);
userSchema.index({ organizationId: 1, _id: 1 });
userSchema.index({ organizationId: 1, email: 1 }, { unique: true });
userSchema.index({ organizationId: 1, handle: 1 });
userSchema.index({ organizationId: 1, role: 1, disabled: 1 });

export const UserModel = mongoose.model('User', userSchema);
