import { number, text } from '@worktrack/runtime/database/documents/fields';
import { schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

const fields = {
  organizationId: text(),
  name: text(),
  /** The last number given out. */
  value: number(),
};

const counterSchema = schemaOf(fields, { collection: 'counters' });
counterSchema.index({ organizationId: 1, name: 1 }, { unique: true });

export const CounterModel = mongoose.model('Counter', counterSchema);
