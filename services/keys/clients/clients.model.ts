import { date, nullable, optional, text, texts } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** An app as it describes itself: in the document at its address, or when it registered. The same for all organizations. */
const fields = {
  /** The address of its document, or the id under which it has registered. */
  _id: text(),
  name: text(),
  /** Its own word. */
  uri: nullable(text()),
  redirectUris: texts(),
  /** Of a document: when it was fetched, and until when it need not be fetched again. */
  fetchedAt: optional(date()),
  freshUntil: optional(date()),
  createdAt: date(),
  /** Of a document: an hour later, and a day after somebody has allowed it something. Of one that has registered: a day later, until somebody does. */
  expiresAt: optional(date()),
};

export type ClientDocument = Stored<typeof fields>;

const clientSchema = schemaOf(fields, { collection: 'oauth_clients' });
clientSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const ClientModel = mongoose.model('OAuthClient', clientSchema);
