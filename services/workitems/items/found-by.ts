import type { ItemRecord } from './items.model.ts';

/**
 * The phrases that an item is found by, stored in it and in one index. An item lists itself and all its ancestors, each by UUID and by task ID, since neither
 * ever changes. So any mix of UUIDs and task IDs, with the whole trees below, takes one query, however deep they are.
 *
 * Changing a parent rewrites the phrases of the whole tree below in the same transaction. So two changes of parents in one tree conflict, and an item's list of
 * ancestors is reliable. To find a cycle, it is enough to check whether the parent lists the child among its ancestors.
 */
export function foundBy(item: Named, parent: Placed | null): string[] {
  return [itself(item._id), itself(item.taskId), ...(parent ? aboveChildrenOf(parent) : [])];
}
export type Named = Pick<ItemRecord, '_id' | 'taskId'>;
type Placed = Named & Found;
interface Found {
  readonly foundBy: readonly string[];
}

/** What an item's children store about their ancestors, nearest first. */
export function aboveChildrenOf(item: Placed): string[] {
  return [childOf(item._id), below(item._id), below(item.taskId), ...aboveAllBelow(item)];
}

/** What an item, and everything below it, stores about its ancestors. */
export function aboveAllBelow({ foundBy }: Found): string[] {
  return foundBy.filter((phrase) => phrase.startsWith(BELOW));
}

/** What would be above an item, and everything below it, that is not yet, once it has this parent. */
export function newAbove({ foundBy }: Found, parent: Placed): Named[] {
  return ancestorsOf({ foundBy: aboveChildrenOf(parent) }).filter(({ _id }) => !foundBy.includes(below(_id)));
}

/** @param ref a UUID or a task ID */
export const itself = (ref: string) => `is ${ref}`;
/** @param ref a UUID or a task ID */
export const below = (ref: string) => `${BELOW}${ref}`;
const BELOW = 'below ';
/** What an item and everything below it has one of. @param ref a UUID or a task ID */
export const withAllBelow = (ref: string): string[] => [itself(ref), below(ref)];
/** @param id a UUID */
export const childOf = (id: string) => `child of ${id}`;

/** UUIDs from the parent upwards. */
export function ancestorIdsOf(item: Found): string[] {
  return ancestorsOf(item).map(({ _id }) => _id);
}

/** From the parent upwards. */
export function ancestorsOf(item: Found): Named[] {
  const refs = aboveAllBelow(item).map((phrase) => phrase.slice(BELOW.length));
  return refs.flatMap((_id, index) => (index % 2 === 0 ? { _id, taskId: refs[index + 1] as string } : []));
}

/** @param phrases how many an item is found by: two for itself, one for its parent, two for each ancestor */
export const levelsAbove = (phrases: number) => Math.floor((phrases - 2) / 2);
