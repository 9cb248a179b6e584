import { searchEntry } from '@worktrack/runtime/text/words';
import type { WriteScope } from '../scope.ts';
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
