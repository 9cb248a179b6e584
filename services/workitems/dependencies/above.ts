import type { FailingWriteScope } from '../calls/scope.ts';
import { below, newAbove } from '../items/found-by.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { dependentsOf } from '../items/items.repository.ts';

/** How many are named. */
const MAX_TOLD = 5;

/**
 * Rejects a parent if the item, or anything below it, depends on what would then be above it: that is done only when they are. One that comes to depend on it
 * meanwhile is noticed when the tree below is changed (trees/tree-writes.ts).
 * @param item with its dependencies as they will be
 * @param descendants how many items there are below it
 */
export async function requireNoDependencyOn(
  scope: FailingWriteScope<'VALIDATION_FAILED'>,
  item: Pick<ItemRecord, '_id' | 'taskId' | 'foundBy' | 'dependsOn'>,
  parent: ItemRecord,
  descendants: number,
): Promise<void> {
  const above = newAbove(item, parent);
  const others = descendants === 0 ? [] : await dependentsOf(scope, above);
  const waiting = [item, ...others.filter(({ foundBy }) => foundBy.includes(below(item._id)))].flatMap(
    ({ taskId, dependsOn }) => {
      const on = dependsOn.filter((ref) => above.includes(ref));
      return on.length > 0 ? [`${taskId} depends on ${on.join(' and ')}`] : [];
    },
  );
  if (waiting.length === 0) return;
  const named = waiting.slice(0, MAX_TOLD).join(', ');
  const message = `${named}, which would be above it, and so done only when it is; change dependsOn of ${waiting.length > 1 ? 'these items' : 'this item'} first`;
  throw scope.fail('VALIDATION_FAILED', `${message}.`, { details: [{ path: 'parentId', message }] });
}
