import mongoose from 'mongoose';
import { date, nullable, text, withDefault } from '../documents/fields.ts';
import { type Stored, schemaOf } from '../documents/schema.ts';

const fields = {
  /** The migration's name. */
  _id: text(),
  /** The last `_id` of its last batch. */
  after: withDefault(text(), ''),
  /** When it had gone through all documents. */
  doneAt: nullable(date()),
};

export type MigrationRecord = Stored<typeof fields>;

const migrationSchema = schemaOf(fields, { collection: 'migrations' });

export const MigrationModel = mongoose.model('Migration', migrationSchema);
