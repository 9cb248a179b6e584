import { searchEntry, searchQuery } from '@worktrack/runtime/text/words';
import { narrowed } from '../narrowed.ts';
import type { Scope, WriteScope } from '../scope.ts';
import { SearchModel } from './search.model.ts';

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
  const { prefixes, parts } = searchQuery(words);
  const [longest, ...others] = prefixes;
  if (longest === undefined) return [];
  const found = await SearchModel.aggregate<{ _id: string }>([
    // The likely rarest narrows by the index.
    ...narrowed(
      { organizationId: caller.organizationId, prefixes: longest },
      {
        ...(projectId && { projectId }),
        ...(others.length > 0 && { prefixes: { $all: others } }),
        ...(parts.length > 0 && { $and: parts.map((part) => ({ words: { $regex: part } })) }),
      },
    ),
    { $project: { _id: 1 } },
  ]);
  return found.map(({ _id }) => _id);
}
