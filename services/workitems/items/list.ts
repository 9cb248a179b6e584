import { ItemRef, pagination } from '@worktrack/contracts/fields';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { listWorkItems as operation } from '@worktrack/contracts/work-items/list';
import type { ReadContext } from '@worktrack/runtime/database/implement';
import { wordsOf } from '@worktrack/runtime/text/words';
import type { Scope } from '../scope.ts';
import { idsWithWords } from '../search/search.repository.ts';
import { findItem, type ItemFilter, pageOfItems, pageOfItemsAmong } from './items.repository.ts';
import { presentedSummaries } from './present.ts';

export async function listWorkItems(
  { page, limit, search = '', projectId: given, parentId, ...filter }: Input<typeof operation>,
  context: ReadContext,
): Promise<Output<typeof operation>> {
  const projectId = given ?? context.caller.sessionProjectId;
  const which: ItemFilter = { ...filter, ...(parentId && { parentId: await idOf(context, parentId) }) };
  const order = filter.boardColumnId ? 'column' : 'newest';
  const text = search.trim();
  const { items, total } = text
    ? // The search knows the project: to ask for it again would only mislead the database in its choice of an index.
      await pageOfItemsAmong(context, await idsMatching(context, text, projectId), which, order, page, limit)
    : await pageOfItems(context, { ...which, ...(projectId && { projectId }) }, order, page, limit);
  return { workItems: await presentedSummaries(context, items), pagination: pagination(page, limit, total) };
}

/** What names nothing stays as it is, and so finds nothing. */
async function idOf(scope: Scope, ref: string): Promise<string> {
  return (await findItem(scope, ref))?._id ?? ref;
}

/** Each word of the query starts some word of title or description, or the whole query is a task ID. */
async function idsMatching(scope: Scope, search: string, projectId: string | undefined): Promise<string[]> {
  const words = wordsOf(search);
  const ids = new Set(words.length > 0 ? await idsWithWords(scope, words, projectId) : []);
  const ref = ItemRef.safeParse(search);
  const named = ref.success ? await findItem(scope, ref.data) : null;
  if (named && (!projectId || named.projectId === projectId)) ids.add(named._id);
  return [...ids];
}
