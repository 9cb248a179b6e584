import { date, flag, nullable, number, optional, text, texts } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** What a user whose name has changed is called: items have a copy of the name, by which they are listed, sorted and grouped. */
const fields = {
  /** The user's. */
  _id: text(),
  organizationId: text(),
  name: text(),
  /** The user's, when it got this name. */
  revision: number(),
  former: texts(),
  isErased: optional(flag()),
  /** When to look next for what still has a former name. Nothing: everything has followed. */
  followAt: optional(nullable(date())),
  /** After that look nothing more can come: what was on its way when the name changed has been stored. */
  isLastLook: optional(flag()),
};

export type NamesRecord = Stored<typeof fields>;

const namesSchema = schemaOf(fields, { collection: 'names' });
// Across all organizations, and only of those that are being followed.
namesSchema.index({ followAt: 1 }, { partialFilterExpression: { followAt: { $exists: true } } });

export const NamesModel = mongoose.model('Names', namesSchema);
