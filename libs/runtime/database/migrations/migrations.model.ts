import mongoose from 'mongoose';
import { date, nullable, number, text, withDefault } from '../documents/fields.ts';
import { type Stored, schemaOf } from '../documents/schema.ts';

const fields = {
  /** The migration's name. */
  _id: text(),
  /** How often it has gone through all documents. */
  passes: number(),
  /** Progress of the current pass: the last `_id` of its last batch. */
  after: withDefault(text(), ''),
  /** When the last pass ended. */
  passEndedAt: nullable(date()),
};

export type MigrationRecord = Stored<typeof fields>;

const migrationSchema = schemaOf(fields, { collection: 'migrations' });

export const MigrationModel = mongoose.model('Migration', migrationSchema);
