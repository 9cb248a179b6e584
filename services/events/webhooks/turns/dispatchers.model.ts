import { number, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** A process that sends to webhooks. */
const fields = {
  _id: text(),
  /** Counts up while it is running. A count rather than a time, because the clocks of two machines need not agree. */
  beat: number(),
};

export type DispatcherDocument = Stored<typeof fields>;

const dispatcherSchema = schemaOf(fields, { collection: 'dispatchers' });

export const DispatcherModel = mongoose.model('Dispatcher', dispatcherSchema);
