import type { WriteScope } from '../calls/scope.ts';
import { ancestorsOf, below, type Named } from '../items/found-by.ts';
import { waitingForNothing, withoutChildren } from '../items/grounds.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { dependentsBelow, dependentsOf, findOutlines } from '../items/items.repository.ts';
import { holdDependencies } from '../projects/projects.repository.ts';

/** The parts of an item that say what it waits for: its dependencies, and all items below it, since it is done only when they are. */
export type Waiting = Named &
  Pick<ItemRecord, 'projectId' | 'childCount'> & {
    readonly foundBy: readonly string[];
    readonly dependsOn: readonly string[];
  };

/** The waiting that a write would add. */
interface Link {
  readonly projectId: string;
  /** What comes to wait. */
  readonly waiting: readonly Named[];
  /** The items that they come to wait for: future children, or future dependencies of `dependent`. */
  readonly on: readonly Waiting[];
  readonly dependent?: Named;
  /** What this write stores or changes, as it will be. */
  readonly unsaved: readonly Waiting[];
}

interface Cycle {
  readonly first: Named;
  readonly told: string;
}

/** An item that was reached, and the way back to where that side of the search began: the next step, and how one waits for the other. */
interface Step {
  readonly item: Named;
  readonly next?: Step;
  readonly how?: 'depends on' | 'is above';
}
interface Side<Item extends Named> {
  readonly reached: Map<string, Step>;
  edge: Item[];
}
interface Search {
  readonly scope: WriteScope;
  readonly projectId: string;
  readonly unsaved: readonly Waiting[];
  readonly behind: Side<Named>;
  readonly ahead: Side<Waiting>;
}

/**
 * The cycle that a write would close, in which each item waits for the next, so that none of them could ever be done. The search goes from both ends, with at
 * most two queries each time, and always expands the end that is likely to be smaller. It usually ends at once: the awaited item waits for nothing, or the
 * waiting item holds up nobody.
 *
 * Concurrent writers may each add a part of a cycle, far apart, so such writes go one at a time within a project. Most need not: of two links that meet in a
 * cycle, the second begins in what the first leads to, or above that.
 * - A link to an item that waits for nothing relies on that alone: a second link would write the item.
 * - A link to an item with nothing below it shares a turn with its like, if nobody waits for the dependent item who would wait for it. A second link writes
 *   that item, or is found to be waited for, or takes a turn of its own.
 */
export async function cycleOf(
  scope: WriteScope,
  { projectId, waiting, on, dependent, unsaved }: Link,
): Promise<Cycle | undefined> {
  const behind: Search['behind'] = { reached: new Map(), edge: [] };
  const ahead: Search['ahead'] = { reached: new Map(), edge: [] };
  const search = { scope, projectId, unsaved, behind, ahead };
  for (const item of waiting) reach(behind, item);
  for (const item of on) reachAhead(search, item, dependent && { next: { item: dependent }, how: 'depends on' });
  if (waiting.length === 0 || on.length === 0) return undefined;
  if (ahead.edge.length === 0) {
    if (dependent) for (const item of on) scope.writes.rely(waitingForNothing(scope, item));
    return undefined;
  }
  const hold = await holdDependencies(scope, projectId);
  let meeting = whereBothMet(search, await goBack(search));
  const isShared =
    behind.edge.length === 0 && dependent !== undefined && on.every(({ childCount }) => childCount === 0);
  hold(isShared ? 'shared' : 'exclusive');
  if (isShared) for (const item of on) scope.writes.rely(withoutChildren(scope, item));
  while (meeting === undefined && behind.edge.length > 0 && ahead.edge.length > 0) {
    const toRead = ahead.edge.reduce((sum, { dependsOn, childCount }) => sum + dependsOn.length + childCount, 0);
    meeting = whereBothMet(search, behind.edge.length <= toRead ? await goBack(search) : await goAhead(search));
  }
  return meeting === undefined ? undefined : cycle(stepsFrom(ahead, meeting).reverse(), stepsFrom(behind, meeting));
}

const whereBothMet = ({ behind, ahead }: Search, reached: readonly string[]) =>
  reached.find((id) => behind.reached.has(id) && ahead.reached.has(id));

/** Goes on to the dependents of the reached items, and to everything above those. */
async function goBack({ scope, projectId, unsaved, behind }: Search): Promise<string[]> {
  const from = new Map(behind.edge.flatMap((item) => [[item._id, item] as const, [item.taskId, item] as const]));
  behind.edge = [];
  const stored = await dependentsOf(scope, [...from.keys()]);
  return asTheyWillBe(stored, unsaved).flatMap((item) => {
    const dependency = item.dependsOn.map((ref) => from.get(ref)).find(Boolean);
    // An id from another project counts as unknown.
    if (!dependency || item.projectId !== projectId) return [];
    reach(behind, item, { next: behind.reached.get(dependency._id), how: 'depends on' });
    const above = ancestorsOf(item);
    for (const each of above) reach(behind, each, { next: behind.reached.get(item._id), how: 'is above' });
    return [item._id, ...above.map(({ _id }) => _id)];
  });
}

/** Goes on to the items that the reached ones wait for, as far as those wait for others. */
async function goAhead(search: Search): Promise<string[]> {
  const { scope, projectId, unsaved, ahead } = search;
  const dependents = new Map(ahead.edge.flatMap((item) => item.dependsOn.map((ref) => [ref, item] as const)));
  const parents = new Map(ahead.edge.map((item) => [below(item._id), item]));
  const withChildren = ahead.edge.filter(({ childCount }) => childCount > 0);
  ahead.edge = [];
  const stored = [
    ...(await findOutlines(scope, [...dependents.keys()])),
    ...(await dependentsBelow(
      scope,
      withChildren.map(({ _id }) => _id),
    )),
  ];
  return asTheyWillBe(stored, unsaved).flatMap((item) => {
    if (item.projectId !== projectId) return [];
    const dependent = dependents.get(item._id) ?? dependents.get(item.taskId);
    const from = dependent ?? item.foundBy.map((phrase) => parents.get(phrase)).find(Boolean);
    if (!from) return [];
    reachAhead(search, item, { next: ahead.reached.get(from._id), how: dependent ? 'depends on' : 'is above' });
    return [item._id];
  });
}

function asTheyWillBe(stored: readonly Waiting[], unsaved: readonly Waiting[]): readonly Waiting[] {
  return [...stored.filter(({ _id }) => unsaved.every((other) => other._id !== _id)), ...unsaved];
}

function reach<Item extends Named>({ reached, edge }: Side<Item>, item: Item, way: Omit<Step, 'item'> = {}): void {
  if (reached.has(item._id)) return;
  reached.set(item._id, { item, ...way });
  edge.push(item);
}

/** What waits for nothing leads no further. */
function reachAhead({ ahead, unsaved }: Search, item: Waiting, way?: Omit<Step, 'item'>): void {
  const { reached, edge } = ahead;
  const isFree =
    item.dependsOn.length === 0 &&
    item.childCount === 0 &&
    !unsaved.some(({ foundBy }) => foundBy.includes(below(item._id)));
  reach({ reached, edge: isFree ? [] : edge }, item, way);
}

function stepsFrom({ reached }: Pick<Side<Named>, 'reached'>, id: string): Step[] {
  const steps: Step[] = [];
  for (let at = reached.get(id); at; at = at.next) steps.push(at);
  return steps;
}

/** @param there from where the new link leads to, to where both sides have met @param back from there on */
function cycle(there: readonly Step[], back: readonly Step[]): Cycle {
  const { item: first } = there[0] as Step;
  const { item: last } = back.at(-1) as Step;
  const names = [
    first.taskId,
    ...there.slice(1).map(({ how, item }) => `${how} ${item.taskId}`),
    ...back.slice(1).map(({ item }, before) => `${back[before]?.how} ${item.taskId}`),
    ...(last._id === first._id ? [] : [`is above ${first.taskId}`]),
  ];
  return { first, told: `would create a cycle: ${shortened(names).join(' ')}` };
}

/** Of a cycle through very many, the first and the last: of thousands, nobody could make out the one link that is wrong. */
function shortened(names: readonly string[]): readonly string[] {
  const omitted = names.length - 2 * MAX_NAMED;
  if (omitted <= 1) return names;
  return [...names.slice(0, MAX_NAMED), `… (${omitted} more) …`, ...names.slice(-MAX_NAMED)];
}
const MAX_NAMED = 20;
