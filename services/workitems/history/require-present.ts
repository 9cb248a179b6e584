import type { FailingScope } from '../calls/scope.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { findItem } from '../items/items.repository.ts';
import { deletedItem } from './history.repository.ts';

/** For the agent that holds the item. If it was deleted meanwhile, the agent would otherwise suspect a mistake in its name, and try again. */
export async function requirePresent(scope: FailingScope<'NOT_FOUND'>, ref: string): Promise<ItemRecord> {
  const item = await findItem(scope, ref);
  if (item) return item;
  // What is left of a deleted item does not say which project it was in.
  const deleted = scope.caller.projects ? undefined : await deletedItem(scope, ref);
  if (!deleted) throw scope.fail('NOT_FOUND', `There is no work item ${ref}.`);
  throw scope.fail('NOT_FOUND', `${deleted.taskId} was deleted, and a lease on it ended with it. Stop working on it.`);
}
