import mongoose from 'mongoose';

/** A duty that all replicas share: whichever finds it due takes it. */
export interface TurnDocument {
  /** The name of the duty. */
  _id: string;
  /** Who took it last. */
  holder: string;
  /** From when on anybody may take it: while it is being done, when its holder counts as gone; afterwards, when it is due again. */
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
