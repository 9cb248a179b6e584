import type { ItemRecord } from './items.model.ts';

/**
 * The phrases that an item is found by, stored in it and in one index. An item lists itself and all its ancestors, each by UUID and by task ID, since neither
 * ever changes. So any mix of UUIDs and task IDs, with the whole trees below, takes one query, however deep they are.
 *
 * Changing a parent rewrites the phrases of the whole tree below in the same transaction. So two changes of parents in one tree conflict, and
 * an item's list of ancestors is reliable: finding a cycle means checking whether the parent lists the child among its ancestors.
 */
export function foundBy(item: Named, parent: Placed | null): string[] {
  return [itself(item._id), itself(item.taskId), ...(parent ? aboveChildrenOf(parent) : [])];
}
type Named = Pick<ItemRecord, '_id' | 'taskId'>;
type Placed = Named & Pick<ItemRecord, 'foundBy'>;

/** What an item's children store about their ancestors, nearest first. */
export function aboveChildrenOf(item: Placed): string[] {
  return [childOf(item._id), below(item._id), below(item.taskId), ...aboveAllBelow(item)];
}

/** What an item, and everything below it, stores about its ancestors. */
export function aboveAllBelow({ foundBy }: Pick<ItemRecord, 'foundBy'>): string[] {
  return foundBy.filter((phrase) => phrase.startsWith(BELOW));
}

/** What would be above an item, and everything below it, that is not yet, once it has this parent: UUIDs and task IDs. */
export function newAbove({ foundBy }: Pick<ItemRecord, 'foundBy'>, parent: Placed): string[] {
  const phrases = aboveAllBelow({ foundBy: aboveChildrenOf(parent) });
  return phrases.filter((phrase) => !foundBy.includes(phrase)).map((phrase) => phrase.slice(BELOW.length));
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
export function ancestorIdsOf(item: Pick<ItemRecord, 'foundBy'>): string[] {
  return aboveAllBelow(item).flatMap((phrase, index) => (index % 2 === 0 ? phrase.slice(BELOW.length) : []));
}

/** @param phrases how many an item is found by: two for itself, one for its parent, two for each ancestor */
export const levelsAbove = (phrases: number) => Math.floor((phrases - 2) / 2);
