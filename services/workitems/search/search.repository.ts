import { searchEntry } from '@worktrack/runtime/text/words';
import type { WriteScope } from '../calls/scope.ts';
import { SearchModel } from './search.model.ts';

interface Searchable {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly title: string;
  readonly description: string;
}

export function indexItem({ writes }: WriteScope, item: Searchable): void {
  const { _id, organizationId, projectId, title, description } = item;
  writes.insert(SearchModel, { _id, organizationId, projectId, ...searchEntry(title, description) });
}

export function indexAgain({ writes }: WriteScope, { _id, organizationId, title, description }: Searchable): void {
  writes.update(SearchModel, { organizationId, _id }, { set: { ...searchEntry(title, description) } });
}

export function forgetItem(
  { writes }: WriteScope,
  { _id, organizationId }: Pick<Searchable, '_id' | 'organizationId'>,
): void {
  writes.remove(SearchModel, { organizationId, _id });
}
