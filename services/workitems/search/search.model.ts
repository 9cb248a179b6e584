import { optional, text, texts, withDefault } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/**
 * The words that a work item is found by. Not part of the item, and independent of anything that a move changes: most writes
 * change no words, and a document with 250 of them is expensive to write.
 */
const fields = {
  /** The work item's id. */
  _id: text(),
  organizationId: text(),
  projectId: text(),
  /** See libs/runtime/text/words.ts. */
  prefixes: texts(),
  words: withDefault(text(), ''),
  /** Those of comments and attachment names, as far as they are kept (search.repository.ts); absent if there are none. */
  said: optional(text()),
};

export type SearchRecord = Stored<typeof fields>;

const searchSchema = schemaOf(fields, { collection: 'work_item_search' });
// Equality on prefixes rather than a range or an anchored pattern on words: those cannot be bounded on both sides in a multikey index.
// One index for every search, since each is as large as the entries: a search without a project covers all of them.
searchSchema.index({ organizationId: 1, projectId: 1, prefixes: 1, _id: -1 });

export const SearchModel = mongoose.model('WorkItemSearch', searchSchema);
