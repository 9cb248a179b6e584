import mongoose from 'mongoose';
import { number, text, texts } from '../documents/fields.ts';
import { type Stored, schemaOf } from '../documents/schema.ts';

/** A process that opens transactions, and its sessions, so that others can end what it leaves open. */
const fields = {
  _id: text(),
  /** Increases as long as the process runs. A count, not a time: two machines' clocks need not agree. */
  beat: number(),
  /** UUIDs of its sessions on the server. */
  sessions: texts(),
};

export type TransactionOwnerRecord = Stored<typeof fields>;

const ownerSchema = schemaOf(fields, { collection: 'transaction_owners' });

export const TransactionOwnerModel = mongoose.model('TransactionOwner', ownerSchema);
