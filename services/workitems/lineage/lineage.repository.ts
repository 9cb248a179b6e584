import { oneOf } from '@worktrack/runtime/database/one-of';
import type { Scope } from '../calls/scope.ts';
import { ItemModel } from '../items/items.model.ts';

/** Ids of the items whose metadata says that they came from the idea. */
export async function idsNamingIdea(
  { caller: { organizationId } }: Scope,
  idea: { readonly _id: string; readonly taskId: string },
): Promise<string[]> {
  // As people write them; both occur in either case.
  const names = [idea._id, idea._id.toUpperCase(), idea.taskId, idea.taskId.toLowerCase()];
  const items = await ItemModel.find({ organizationId, 'metadata.ideaId': oneOf(names) }, { _id: 1 }).lean();
  return items.map(({ _id }) => _id);
}
