import type { NewItem } from './records.ts';

/** An item of a call that creates many: what refers within the call is `#` and the ref of another. */
export interface PlannedItem extends NewItem {
  readonly ref?: string;
  readonly boardColumnId?: string | undefined;
  readonly dependsOn?: readonly string[];
}

export const isWithin = (written: string): boolean => written.startsWith('#');

/** Whether an item cannot be created with these others, whatever is stored: names that are taken or missing, circles. */
export function isFaulty(item: PlannedItem, all: readonly PlannedItem[]): boolean {
  const { ref, externalId, parentId, dependsOn = [] } = item;
  const isTaken = (field: 'ref' | 'externalId', value: string | undefined) =>
    value !== undefined && all.filter((other) => other[field] === value).length > 1;
  const isMissing = (written: string) => isWithin(written) && all.every((other) => written !== `#${other.ref}`);
  return (
    isTaken('ref', ref) ||
    isTaken('externalId', externalId) ||
    [parentId ?? [], dependsOn].flat().some(isMissing) ||
    isInCircle(item, all, (each) => [each.parentId ?? []].flat()) ||
    isInCircle(item, all, (each) => each.dependsOn ?? []) ||
    isBelowDependency(item, all)
  );
}

/** By what the call says, also of items that are there already. */
function isBelowDependency(item: PlannedItem, all: readonly PlannedItem[]): boolean {
  const parentsOf = ({ parentId }: PlannedItem) => all.filter(({ ref }) => parentId === `#${ref}`);
  const above = new Set(parentsOf(item));
  for (const other of above) for (const each of parentsOf(other)) above.add(each);
  return [...above].some(({ ref }) => item.dependsOn?.includes(`#${ref}`));
}

function isInCircle(
  item: PlannedItem,
  all: readonly PlannedItem[],
  namedBy: (item: PlannedItem) => readonly string[],
): boolean {
  const next = (each: PlannedItem) => all.filter(({ ref }) => namedBy(each).includes(`#${ref}`));
  const reached = new Set(next(item));
  for (const other of reached) for (const each of next(other)) reached.add(each);
  return reached.has(item);
}
