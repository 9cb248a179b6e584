import type { KeyRate } from '@worktrack/contracts/keys/records';
import type { Permission } from '@worktrack/contracts/permissions';
import mongoose from 'mongoose';

export interface KeyDocument {
  _id: string;
  organizationId: string;
  userId: string;
  createdBy: string;
  name: string;
  prefix: string;
  /** HMAC-SHA-256, keyed with the pepper, of the SHA-256 of the key; in hexadecimal. */
  hash: string;
  permissions: Permission[];
  /** The only projects that exist for it. Absent, or null: all. */
  projects?: string[] | null;
  /** Keys from earlier versions have none: they have the default. */
  rateLimit?: KeyRate;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** The key that replaced it; it expires at the end of the overlap. */
  replacedBy?: string;
  /** The first key of its line of rotations, under which its requests are counted. */
  rotatedFrom?: { id: string; prefix: string };
  /** When it was last reported that it is still in use although it was replaced. */
  usedAfterRotationAt?: Date;
  /** When it was last entered in the audit log that it signs nobody in any more. */
  signInRefusedAt?: Date;
  /** Incremented by each change: orders the key's events. Absent in records stored by earlier versions. */
  revision?: number;
}

const keySchema = new mongoose.Schema<KeyDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    userId: { type: String, required: true },
    createdBy: { type: String, required: true },
    name: { type: String, required: true },
    prefix: { type: String, required: true },
    hash: { type: String, required: true },
    permissions: { type: [String], required: true },
    projects: { type: [String], default: undefined },
    rateLimit: { type: { _id: false, requests: Number, windowSeconds: Number }, default: undefined },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, default: null },
    expiresAt: { type: Date, default: null },
    revokedAt: { type: Date, default: null },
    replacedBy: String,
    rotatedFrom: { type: { _id: false, id: String, prefix: String }, default: undefined },
    usedAfterRotationAt: Date,
    signInRefusedAt: Date,
    revision: Number,
  },
  { collection: 'keys', versionKey: false },
);
// The one lookup that comes before there is an organization. Unique, because the cache of verified keys is named by it.
keySchema.index({ prefix: 1 }, { unique: true });
keySchema.index({ organizationId: 1, _id: 1 });
keySchema.index({ organizationId: 1, userId: 1 });

export const KeyModel = mongoose.model('Key', keySchema);
