import mongoose from 'mongoose';

/** An access token or a refresh token of a grant. */
export interface GrantTokenDocument {
  _id: string;
  organizationId: string;
  grantId: string;
  userId: string;
  kind: 'access' | 'refresh';
  prefix: string;
  /** Like a key's. */
  hash: string;
  createdAt: Date;
  expiresAt: Date;
  /** Of a refresh token: when it was exchanged for the next one. */
  replacedAt: Date | null;
}

const tokenSchema = new mongoose.Schema<GrantTokenDocument>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    grantId: { type: String, required: true },
    userId: { type: String, required: true },
    kind: { type: String, required: true },
    prefix: { type: String, required: true },
    hash: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    replacedAt: { type: Date, default: null },
  },
  { collection: 'grant_tokens', versionKey: false },
);
tokenSchema.index({ prefix: 1 }, { unique: true });
tokenSchema.index({ organizationId: 1, grantId: 1, kind: 1, expiresAt: 1 });
tokenSchema.index({ organizationId: 1, userId: 1, kind: 1, expiresAt: 1 });
tokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const GrantTokenModel = mongoose.model('GrantToken', tokenSchema);
