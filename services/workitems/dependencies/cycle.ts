import type { WriteScope } from '../calls/scope.ts';
import { dependentsOf, findOutlines } from '../items/items.repository.ts';
import type { ItemOutline } from '../items/shown/views.ts';
import { holdDependencies } from '../projects/projects.repository.ts';

/** One side of the search: what was reached, and from which item. */
interface Side {
  readonly reached: Map<string, { readonly item: ItemOutline; readonly from: ItemOutline | undefined }>;
  edge: ItemOutline[];
}

/**
 * The cycle that would result if the item depended on these: task IDs, with the item's own first and last. Searched from both ends, always expanding the smaller
 * frontier, one query each time: usually nothing depends on the item, and the search ends at once.
 *
 * Two concurrent writers may each add part of a cycle. If nothing depends on the item, each relies on the item that the other changes, and one of them
 * runs again. Otherwise the two may be far apart, so such changes within a project go one at a time.
 */
export async function cycleOf(
  scope: WriteScope,
  item: ItemOutline,
  dependencies: readonly ItemOutline[],
): Promise<string[] | undefined> {
  if (dependencies.length === 0) return undefined;
  const behind = sideFrom([item]);
  const ahead = sideFrom(dependencies);
  let meeting = await goBack(scope, behind, ahead);
  if (behind.edge.length > 0) await holdDependencies(scope, item.projectId);
  while (!meeting && behind.edge.length > 0 && ahead.edge.length > 0) {
    const isBackSmaller = behind.edge.length <= ahead.edge.length;
    meeting = isBackSmaller ? await goBack(scope, behind, ahead) : await goAhead(scope, ahead, behind);
  }
  if (!meeting) return undefined;
  const [down, up] = [pathTo(ahead, meeting).reverse(), pathTo(behind, meeting).slice(1)];
  return [item, ...down, ...up].map(({ taskId }) => taskId);
}

function sideFrom(items: readonly ItemOutline[]): Side {
  return { reached: new Map(items.map((item) => [item._id, { item, from: undefined }])), edge: [...items] };
}

/** On to the dependents of what was reached. @returns the id of an item that the other side has reached too */
async function goBack(scope: WriteScope, side: Side, other: Side): Promise<string | undefined> {
  const from = new Map(side.edge.flatMap((item) => [[item._id, item] as const, [item.taskId, item] as const]));
  const next = await dependentsOf(scope, [...from.keys()]);
  return reach(side, other, next, ({ dependsOn }) => dependsOn.map((ref) => from.get(ref)).find(Boolean));
}

/** On to the dependencies of what was reached. */
async function goAhead(scope: WriteScope, side: Side, other: Side): Promise<string | undefined> {
  const from = new Map(side.edge.flatMap((item) => item.dependsOn.map((ref) => [ref, item] as const)));
  const next = await findOutlines(scope, [...from.keys()]);
  return reach(side, other, next, ({ _id, taskId }) => from.get(_id) ?? from.get(taskId));
}

function reach(
  side: Side,
  other: Side,
  next: readonly ItemOutline[],
  cameFrom: (item: ItemOutline) => ItemOutline | undefined,
): string | undefined {
  side.edge = [];
  for (const item of next) {
    const from = cameFrom(item);
    // An id from another project counts as unknown.
    if (side.reached.has(item._id) || from?.projectId !== item.projectId) continue;
    side.reached.set(item._id, { item, from });
    side.edge.push(item);
    if (other.reached.has(item._id)) return item._id;
  }
  return undefined;
}

/** From a reached item back to where the side began. */
function pathTo(side: Side, id: string): ItemOutline[] {
  const path: ItemOutline[] = [];
  for (let at = side.reached.get(id); at; at = at.from && side.reached.get(at.from._id)) path.push(at.item);
  return path;
}
