import { date, text } from '@worktrack/runtime/database/documents/fields';
import { schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** A task shared by all replicas: whichever finds it due takes it. */
const fields = {
  /** The name of the task. */
  _id: text(),
  /** Who last took it. */
  holder: text(),
  /** When anybody may take it: while it is running, when its holder is considered gone; afterwards, when it is due again. */
  nextAt: date(),
};

const turnSchema = schemaOf(fields, { collection: 'turns' });

export const TurnModel = mongoose.model('Turn', turnSchema);
