import mongoose from 'mongoose';

/** A task shared by all replicas: whichever finds it due takes it. */
export interface TurnDocument {
  /** The name of the task. */
  _id: string;
  /** Who last took it. */
  holder: string;
  /** When anybody may take it: while it is running, when its holder is considered gone; afterwards, when it is due again. */
  nextAt: Date;
}

const turnSchema = new mongoose.Schema<TurnDocument>(
  {
    _id: { type: String, required: true },
    holder: { type: String, required: true },
    nextAt: { type: Date, required: true },
  },
  { collection: 'turns', versionKey: false },
);

export const TurnModel = mongoose.model('Turn', turnSchema);
