import mongoose from 'mongoose';
import type { Scope, WriteScope } from '../scope.ts';
import { SearchModel } from './search.model.ts';
import { searchEntry, searchQuery } from './words.ts';

interface Searchable {
  readonly _id: string;
  readonly projectId: string;
  readonly title: string;
  readonly description: string;
}

export async function indexItem({ caller, tx }: WriteScope, item: Searchable): Promise<void> {
  const { organizationId } = caller;
  await SearchModel.updateOne(
    { organizationId, _id: item._id },
    { $set: { projectId: item.projectId, ...searchEntry(item.title, item.description) } },
    { upsert: true, session: tx },
  );
}

export async function forgetItem({ caller, tx }: WriteScope, itemId: string): Promise<void> {
  await SearchModel.deleteOne({ organizationId: caller.organizationId, _id: itemId }, { session: tx });
}

/** Ids of the items that have all these words (as wordsOf makes them) or words that start with them. */
export async function idsWithWords(
  { caller }: Scope,
  words: readonly string[],
  projectId: string | undefined,
): Promise<string[]> {
  const { prefixes, starts } = searchQuery(words);
  const found = await SearchModel.find(
    {
      organizationId: caller.organizationId,
      prefixes: mongoose.trusted({ $all: prefixes }),
      ...(projectId && { projectId }),
      // Words hold letters, marks and digits only: nothing in them means anything in a pattern.
      ...(starts.length > 0 && { $and: starts.map((start) => ({ words: mongoose.trusted({ $regex: start }) })) }),
    },
    { _id: 1 },
  ).lean();
  return found.map(({ _id }) => _id);
}
