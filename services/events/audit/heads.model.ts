import { date, number, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const headFields = {
  /** Made of organization and place: each place is signed once. */
  _id: text(),
  organizationId: text(),
  seq: number(),
  hash: text(),
  at: date(),
  keyId: text(),
  signature: text(),
};

export type SignedHead = Stored<typeof headFields>;

const headSchema = schemaOf(headFields, { collection: 'audit_heads' });
headSchema.index({ organizationId: 1, at: -1, _id: -1 });

export const SignedHeadModel = mongoose.model('AuditHead', headSchema);

/** An organization whose log has entries since its last head. */
const unsignedFields = {
  /** The organization's. */
  _id: text(),
  /** Of whoever entered last: whoever signs removes only what it has seen. */
  mark: text(),
};

export type Unsigned = Stored<typeof unsignedFields>;

const unsignedSchema = schemaOf(unsignedFields, { collection: 'audit_unsigned' });

export const UnsignedModel = mongoose.model('AuditUnsigned', unsignedSchema);
