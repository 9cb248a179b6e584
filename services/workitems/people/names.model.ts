import mongoose from 'mongoose';

/** What a user whose name has changed is called: items have a copy of the name, by which they are listed, sorted and grouped. */
export interface NamesRecord {
  /** The user's. */
  _id: string;
  organizationId: string;
  name: string;
  /** The user's, when it got this name. */
  revision: number;
  former: string[];
  isErased?: boolean;
  /** When to look next for what still has a former name. Nothing: everything has followed. */
  followAt?: Date | null;
  /** After that look nothing more can come: what was on its way when the name changed has been stored. */
  isLastLook?: boolean;
}

const namesSchema = new mongoose.Schema<NamesRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    name: { type: String, required: true },
    revision: { type: Number, required: true },
    former: { type: [String], required: true },
    isErased: Boolean,
    followAt: Date,
    isLastLook: Boolean,
  },
  { collection: 'names', versionKey: false },
);
// Across all organizations, and only of those that are being followed.
namesSchema.index({ followAt: 1 }, { partialFilterExpression: { followAt: { $exists: true } } });

export const NamesModel = mongoose.model('Names', namesSchema);
