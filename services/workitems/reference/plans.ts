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
    isInCircle(item, all)
  );
}

/** Follows the call's references, also those of existing items. Each item waits for its dependencies, and for everything below it. */
function isInCircle(item: PlannedItem, all: readonly PlannedItem[]): boolean {
  return leadsTo(item, item, ({ ref, dependsOn }) =>
    all.filter((other) => dependsOn?.includes(`#${other.ref}`) || other.parentId === `#${ref}`),
  );
}

/** In one step or more. */
export function leadsTo<Node>(from: Node, to: Node, next: (node: Node) => readonly Node[]): boolean {
  const reached = new Set(next(from));
  for (const other of reached) for (const each of next(other)) reached.add(each);
  return reached.has(to);
}
