import mongoose from 'mongoose';

/** An app as it describes itself: in the document at its address, or when it registered. The same for all organizations. */
export interface ClientDocument {
  /** The address of its document, or the id under which it has registered. */
  _id: string;
  name: string;
  /** Its own word. */
  uri: string | null;
  redirectUris: string[];
  /** Of a document: when it was fetched, and until when it need not be fetched again. */
  fetchedAt?: Date;
  freshUntil?: Date;
  createdAt: Date;
  /** Of a document: a day later. Of one that has registered: likewise, until somebody allows it something. */
  expiresAt?: Date;
}

const clientSchema = new mongoose.Schema<ClientDocument>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    uri: { type: String, default: null },
    redirectUris: { type: [String], required: true },
    fetchedAt: Date,
    freshUntil: Date,
    createdAt: { type: Date, required: true },
    expiresAt: Date,
  },
  { collection: 'oauth_clients', versionKey: false },
);
clientSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const ClientModel = mongoose.model('OAuthClient', clientSchema);
