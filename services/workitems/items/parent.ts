import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import type { FailingWriteScope, Scope } from '../scope.ts';
import type { ItemRecord } from './items.model.ts';
import { childrenOf, findItem, touch } from './items.repository.ts';
import { parentFault } from './parent-rules.ts';

/** Only tasks nest in each other; this bounds what a cascade or a look at all ancestors may cost. */
export const MAX_TASK_NESTING = 20;

export interface Child {
  /** Absent while the child is being created: nothing can be below it. */
  readonly _id?: string;
  readonly type: ItemType;
  readonly projectId: string;
}

/**
 * Refuses a parent that the child may not have, and makes this transaction conflict with what would make it so: the parent's deletion or change of
 * type, and for tasks below tasks a new parent of any ancestor, which could close a cycle with this one.
 */
export async function requireParentFor(
  scope: FailingWriteScope<'VALIDATION_FAILED'>,
  child: Child,
  parent: ItemRecord,
): Promise<void> {
  const refuse = (field: 'parentId' | 'type', message: string) =>
    scope.fail('VALIDATION_FAILED', `${message}.`, { details: [{ path: field, message }] });

  if (parent._id === child._id) throw refuse('parentId', 'A work item cannot be its own parent');
  const fault = parentFault(child.type, parent.type);
  if (fault) throw refuse('parentId', `${fault} (${parent.taskId})`);
  if (parent.projectId !== child.projectId) {
    throw refuse('parentId', `Parent and child must be in one project; ${parent.taskId} is in another`);
  }
  if (parent.type !== 'task') return touch(scope, [parent._id]);

  const chain = await tasksAbove(scope, parent);
  if (chain.some(({ _id }) => _id === child._id)) {
    throw refuse('parentId', `${parent.taskId} is below this work item, so it cannot be its parent`);
  }
  const below = child._id === undefined ? 0 : await heightBelow(scope, child._id);
  if (chain.length + 1 + below > MAX_TASK_NESTING) {
    throw refuse('parentId', `Tasks may be nested ${MAX_TASK_NESTING} levels deep at most`);
  }
  await touch(
    scope,
    chain.map(({ _id }) => _id),
  );
}

/** A changed type must still be allowed as the parent of the children that are there. */
export async function requireTypeForChildren(
  scope: FailingWriteScope<'VALIDATION_FAILED'>,
  item: ItemRecord,
  type: ItemType,
): Promise<void> {
  for (const child of await childrenOf(scope, [item._id])) {
    const fault = parentFault(child.type, type);
    if (fault) {
      const message = `${item.taskId} has ${child.taskId} as a child, and ${fault.charAt(0).toLowerCase()}${fault.slice(1)}`;
      throw scope.fail('VALIDATION_FAILED', `${message}. Give its children another parent first.`, {
        details: [{ path: 'type', message }],
      });
    }
  }
}

/** The item and its ancestors up to the first that is no task, or none. */
async function tasksAbove(scope: Scope, item: ItemRecord): Promise<ItemRecord[]> {
  const chain = [item];
  let last = item;
  while (last.parentId !== null && chain.length <= MAX_TASK_NESTING) {
    const parent = await findItem(scope, last.parentId);
    if (parent?.type !== 'task') break;
    chain.push(parent);
    last = parent;
  }
  return chain;
}

async function heightBelow(scope: Scope, id: string): Promise<number> {
  let height = 0;
  let level = [id];
  while (height <= MAX_TASK_NESTING) {
    level = (await childrenOf(scope, level)).map(({ _id }) => _id);
    if (level.length === 0) break;
    height++;
  }
  return height;
}
