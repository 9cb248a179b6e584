import { oneOf } from '@worktrack/runtime/database/one-of';
import { searchEntry, wordsOf } from '@worktrack/runtime/text/words';
import { gathered } from '../calls/gathered.ts';
import type { Scope, WriteScope } from '../calls/scope.ts';
import { SearchModel } from './search.model.ts';

interface Searchable {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly title: string;
  readonly description: string;
}

/** The latest words of comments and attachment names that an item is found by: an entry is rewritten as a whole, and its index with it. */
const MAX_SAID_WORDS = 2_000;

export function indexItem({ writes }: WriteScope, item: Searchable): void {
  const { _id, organizationId, projectId, title, description } = item;
  writes.insert(SearchModel, { _id, organizationId, projectId, ...searchEntry(title, description) });
}

/** After a change of title or description. Like everything here, by whoever changes the item or relies on its revision, so that no two do it at once. */
export async function indexAgain(scope: WriteScope, item: Searchable): Promise<void> {
  store(scope, item, await saidOn(scope, item));
}

/** Comments and attachment names are what an item is found by, too. */
export async function indexSaid(scope: WriteScope, item: Searchable, text: string): Promise<void> {
  const before = await saidOn(scope, item);
  const after = saidIn([before, text]);
  if (after !== before) store(scope, item, after);
}

/** After something that had been said is gone. @param texts all that is left, oldest first */
export function indexAllSaid(scope: WriteScope, item: Searchable, texts: readonly string[]): void {
  store(scope, item, saidIn(texts));
}

export function forgetItem(
  { writes }: WriteScope,
  { _id, organizationId }: Pick<Searchable, '_id' | 'organizationId'>,
): void {
  writes.remove(SearchModel, { organizationId, _id });
}

/** @param texts oldest first */
export function saidIn(texts: readonly string[]): string {
  return wordsOf(texts.join('\n')).slice(-MAX_SAID_WORDS).join(' ');
}

/** An entry as it should be. */
export function entryOf({ title, description }: Pick<Searchable, 'title' | 'description'>, said: string) {
  return { ...searchEntry(title, description, said), said };
}

async function saidOn({ caller, tx }: Scope, { _id, organizationId }: Searchable): Promise<string> {
  if (!tx) return (await saidTogether(caller, _id)) ?? '';
  const entry = await SearchModel.findOne({ organizationId, _id }, { said: 1 }, { session: tx }).lean();
  return entry?.said ?? '';
}

/** For comments that come at once: a query for each was half of the commands that they sent. */
const saidTogether = gathered<string>(async ({ organizationId }, ids) => {
  const entries = await SearchModel.find({ organizationId, _id: oneOf(ids) }, { said: 1 }).lean();
  return new Map(entries.map(({ _id, said }) => [_id, said ?? '']));
});

function store({ writes }: WriteScope, item: Searchable, said: string): void {
  const { _id, organizationId } = item;
  writes.update(SearchModel, { organizationId, _id }, { set: entryOf(item, said) });
}
