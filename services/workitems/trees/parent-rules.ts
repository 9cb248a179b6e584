import type { ItemType } from '@worktrack/contracts/work-items/work-item';

/** Which types an item's parent may have: none, one, or any. */
const PARENTS: Readonly<Record<ItemType, 'none' | 'any' | ItemType>> = {
  epic: 'none',
  idea: 'none',
  feature: 'epic',
  story: 'feature',
  task: 'any',
};

/** Why an item of one type may not have a parent of the other, or undefined if it may. */
export function parentFault(child: ItemType, parent: ItemType): string | undefined {
  const allowed = PARENTS[child];
  if (allowed === 'any' || allowed === parent) return undefined;
  const article = (type: ItemType) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);
  const subject = article(child).replace('a', 'A');
  if (allowed === 'none') return `${subject} has no parent`;
  return `${subject}'s parent must be ${article(allowed)}, not ${article(parent)}`;
}
