import type { AuditHead } from '@worktrack/contracts/audit/entry';
import { text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

export interface SignedHead extends Omit<AuditHead, 'at'> {
  /** Made of organization and place: each place is signed once. */
  _id: string;
  at: Date;
}

const headSchema = new mongoose.Schema<SignedHead>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    seq: { type: Number, required: true },
    hash: { type: String, required: true },
    at: { type: Date, required: true },
    keyId: { type: String, required: true },
    signature: { type: String, required: true },
  },
  { collection: 'audit_heads', versionKey: false },
);
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
