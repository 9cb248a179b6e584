import { LISTED_DAYS_AFTER_ITS_END } from '@worktrack/contracts/keys/invitations';
import type { Permission } from '@worktrack/contracts/permissions';
import { date, text, texts } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/**
 * A code that signs a user in once, within days. It stays for a while after that, so that its link can say what has become of it. Not among the login codes, whose
 * records are deleted when they are used.
 */
const fields = {
  _id: text(),
  organizationId: text(),
  /** Whom it signs in. */
  userId: text(),
  /** The user who has made it. */
  invitedBy: text(),
  /** The key that it was made with, and that its session will belong to. */
  keyId: text(),
  prefix: text(),
  /** Like a key's. */
  hash: text(),
  permissions: texts<Permission>(),
  /** `open` also once its time is over. */
  state: text<'open' | 'used' | 'replaced' | 'withdrawn'>(),
  createdAt: date(),
  expiresAt: date(),
};

export type InvitationDocument = Stored<typeof fields>;

const invitationSchema = schemaOf(fields, { collection: 'invitations' });
invitationSchema.index({ prefix: 1 }, { unique: true });
invitationSchema.index({ organizationId: 1, state: 1, createdAt: 1, _id: 1 });
invitationSchema.index({ organizationId: 1, createdAt: 1, userId: 1 });
invitationSchema.index({ organizationId: 1, userId: 1, state: 1 });
invitationSchema.index({ organizationId: 1, keyId: 1 });
invitationSchema.index({ expiresAt: 1 }, { expireAfterSeconds: LISTED_DAYS_AFTER_ITS_END * 24 * 60 * 60 });

export const InvitationModel = mongoose.model('Invitation', invitationSchema);
