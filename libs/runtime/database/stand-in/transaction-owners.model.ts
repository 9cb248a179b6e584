import mongoose from 'mongoose';

/** A process that opens transactions, and its sessions, so that others can end what it leaves open. */
export interface TransactionOwnerRecord {
  _id: string;
  /** Increases as long as the process runs. A count, not a time: two machines' clocks need not agree. */
  beat: number;
  /** UUIDs of its sessions on the server. */
  sessions: string[];
}

const ownerSchema = new mongoose.Schema<TransactionOwnerRecord>(
  {
    _id: { type: String, required: true },
    beat: { type: Number, required: true },
    sessions: { type: [String], required: true },
  },
  { collection: 'transaction_owners', versionKey: false },
);

export const TransactionOwnerModel = mongoose.model('TransactionOwner', ownerSchema);
