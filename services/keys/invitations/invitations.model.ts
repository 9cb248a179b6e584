import { LISTED_DAYS_AFTER_ITS_END } from '@worktrack/contracts/keys/invitations';
import type { Permission } from '@worktrack/contracts/permissions';
import mongoose from 'mongoose';

/**
 * A code that signs a user in once, within days. It stays for a while after that, so that its link can say what has become of it. Not among the login codes, whose
 * records are deleted when they are used.
 */
export interface InvitationDocument {
  _id: string;
  organizationId: string;
  /** Whom it signs in. */
  userId: string;
  /** The user who has made it. */
  invitedBy: string;
  /** The key that it was made with, and that its session will belong to. */
  keyId: string;
  prefix: string;
  /** Like a key's. */
  hash: string;
  permissions: Permission[];
  /** `open` also once its time is over. */
  state: 'open' | 'used' | 'replaced' | 'withdrawn';
  createdAt: Date;
  expiresAt: Date;
}

const invitationSchema = new mongoose.Schema<InvitationDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    userId: { type: String, required: true },
    invitedBy: { type: String, required: true },
    keyId: { type: String, required: true },
    prefix: { type: String, required: true },
    hash: { type: String, required: true },
    permissions: { type: [String], required: true },
    state: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'invitations', versionKey: false },
);
invitationSchema.index({ prefix: 1 }, { unique: true });
invitationSchema.index({ organizationId: 1, state: 1, createdAt: 1, _id: 1 });
invitationSchema.index({ organizationId: 1, userId: 1, state: 1 });
invitationSchema.index({ organizationId: 1, keyId: 1 });
invitationSchema.index({ expiresAt: 1 }, { expireAfterSeconds: LISTED_DAYS_AFTER_ITS_END * 24 * 60 * 60 });

export const InvitationModel = mongoose.model('Invitation', invitationSchema);
