import type { WriteScope } from '../calls/scope.ts';
import { ancestorsOf, below, type Named } from '../items/found-by.ts';
import { waitingForNothing, withoutChildren } from '../items/grounds.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { dependentsBelow, dependentsOf, findOutlines } from '../items/items.repository.ts';
import { holdDependencies } from '../projects/projects.repository.ts';

/** An item as far as it waits for others: for what it depends on, and for all that is below it, since it is done only when they are. */
export type Waiting = Named &
  Pick<ItemRecord, 'projectId' | 'childCount'> & {
    readonly foundBy: readonly string[];
    readonly dependsOn: readonly string[];
  };

/** What a write lets wait for what. */
interface Link {
  readonly projectId: string;
  /** What comes to wait. */
  readonly waiting: readonly Named[];
  /** What it comes to wait for: what is to be below it, or what `dependent` is to depend on. */
  readonly on: readonly Waiting[];
  readonly dependent?: Named;
  /** What this write stores or changes, as it will be. */
  readonly unsaved: readonly Waiting[];
}

interface Cycle {
  readonly first: Named;
  readonly told: string;
}

/** What was reached, and the way back to where that side of the search began: the one next to it, and how the first of the two waits for the second. */
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
 * The cycle that a write would close, in which each waits for the next, so that none of them could ever be done. Searched from both ends, always expanding what
 * is likely to be smaller, at most two queries each time: usually what it waits for waits for nothing, or what comes to wait holds up nobody, and the search ends
 * at once.
 *
 * Concurrent writers may each add a part of a cycle, far apart, so such writes go one at a time within a project. Most need not: of two links that meet in a cycle,
 * the second begins in what the first leads to, or above that. So whoever depends on what waits for nothing relies on that alone: a second one writes it.
 * Whoever depends on what has nothing below it, for which nobody waits who would wait for it, shares a turn with its like: a second one writes it, or is found to be
 * waited for, or takes a turn of its own.
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

/** On to what depends on what was reached, and what is above that. */
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

/** On to what is waited for by what was reached, as far as that waits for others. */
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
