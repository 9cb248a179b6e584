import mongoose from 'mongoose';

export interface MigrationRecord {
  /** The migration's name. */
  _id: string;
  /** How often it has gone through all documents. */
  passes: number;
  /** Progress of the current pass: the last `_id` of its last batch. */
  after: string;
  /** When the last pass ended. */
  passEndedAt: Date | null;
}

const migrationSchema = new mongoose.Schema<MigrationRecord>(
  {
    _id: { type: String, required: true },
    passes: { type: Number, required: true },
    after: { type: String, default: '' },
    passEndedAt: { type: Date, default: null },
  },
  { collection: 'migrations', versionKey: false },
);

export const MigrationModel = mongoose.model('Migration', migrationSchema);
