import type { FailureOf } from '@worktrack/contracts/operation';
import type { createWorkItems as operation } from '@worktrack/contracts/work-items/changes/create-items';
import {
  aboveFault,
  type ByRef,
  indexOf,
  isRef,
  tellFaultsWithin,
} from '@worktrack/contracts/work-items/changes/references';
import type { GroupedContext } from '@worktrack/runtime/database/handlers/contexts';
import type { WriteGrouped } from '@worktrack/runtime/database/handlers/handler-kinds';
import { Stale } from '@worktrack/runtime/database/writes/stale';
import type { BoardRecord, ColumnRecord } from '../boards/boards.model.ts';
import { requireBoardForWrite } from '../boards/boards.repository.ts';
import { requireColumn, requireColumnOfRole } from '../boards/columns.ts';
import { isMet } from '../boards/progress.ts';
import { drawTaskId } from '../counters/task-id.ts';
import { cycleOf, type Waiting } from '../dependencies/cycle.ts';
import { aboveChildrenOf, ancestorIdsOf, ancestorsOf, below, foundBy } from '../items/found-by.ts';
import type { ItemRecord } from '../items/items.model.ts';
import { findItem, requireItem } from '../items/items.repository.ts';
import { findByExternalId } from '../items/shown/shown.repository.ts';
import { keyWarnings, warned } from '../items/warnings.ts';
import { placeAtEnd } from '../moves/position.ts';
import type { ProjectRecord } from '../projects/projects.model.ts';
import { findProject, onlyProject, projectForWrite } from '../projects/projects.repository.ts';
import { MAX_TREE_LEVELS, requireParentFor } from '../trees/parent.ts';
import { parentFault } from '../trees/parent-rules.ts';
import { countChildren } from '../trees/tree-writes.ts';
import { type Content, contentOf, followNew, newItem, store } from './create-item.ts';
import { Faults, type GivenItem } from './references.ts';

type Context = GroupedContext<FailureOf<typeof operation>>;

/** What is said for one item, or once for all that do not say it. */
const LOCATION_FIELDS = ['projectId', 'boardId', 'boardColumnId'];

interface Location {
  readonly project: ProjectRecord;
  readonly board: BoardRecord;
  readonly column: ColumnRecord;
  /** What has its external id already. */
  readonly existing: ItemRecord | undefined;
}

/** A new item, and the existing items that it refers to. */
interface Planned extends Location {
  readonly given: GivenItem;
  readonly parent: ItemRecord | undefined;
  readonly content: Content;
}

/** All or none, in one write; every fault is told by the index of its item. */
export const createWorkItems: WriteGrouped<typeof operation> = async (input, context) => {
  const faults = new Faults();
  const { byRef, order } = tellFaultsWithin(input.items, faults.add);

  const projectId = input.projectId ?? context.caller.sessionProjectId;
  // Asked for once, and only if some item does not say where it goes.
  let project: Promise<ProjectRecord> | undefined;
  const defaultBoardId = async () => {
    project ??= projectOf(context, projectId);
    return (await project).defaultBoardId;
  };
  const places: (Location | undefined)[] = [];
  for (const [index, given] of input.items.entries()) {
    const place = async () => {
      const boardId = given.boardId ?? input.boardId ?? (await defaultBoardId());
      return placeOf(context, given, { projectId, boardId, column: given.boardColumnId ?? input.boardColumnId });
    };
    const shared = LOCATION_FIELDS.filter((field) => !(field in given) && field in input);
    places[index] = await faults.of(index, place, { field: 'boardId', shared });
  }
  // What is there already is referred to as anything else that is.
  const items = input.items.map((given) =>
    withNames(given, (ref) => places[indexOf(byRef, ref) ?? -1]?.existing?.taskId),
  );

  const planned: (Planned | undefined)[] = [];
  for (const [index, given] of items.entries()) {
    const place = places[index];
    if (place && !place.existing) {
      planned[index] = await faults.of(index, () => plan(context, place, given), { field: 'parentId' });
    }
  }
  const parents = planned.map((one) => one?.parent);
  for (const index of items.keys()) {
    if (places[index]?.existing) continue;
    refuseWithin(index, items, places, byRef, faults);
    const { top, levels } = upwards(index, items, byRef);
    const parent = parents[top];
    if (isRef(items[index]?.parentId) && levels + levelsOf(parent) > MAX_TREE_LEVELS) {
      faults.add(index, 'parentId', `work items may be nested ${MAX_TREE_LEVELS} levels deep at most`);
    }
    const above = parent ? aboveChildrenOf(parent) : [];
    for (const each of planned[index]?.content.dependsOn ?? []) {
      if (above.includes(below(each))) faults.add(index, 'dependsOn', aboveFault(each));
    }
  }
  faults.throwIfAny();
  await refuseCycles(context, planned, order, byRef, faults);
  faults.throwIfAny();

  const made = await storeAll(context, planned, order, byRef);
  return {
    items: items.map(({ ref }, index) => {
      const item = made[index] ?? places[index]?.existing;
      if (!item) throw new Error(`Item ${index} was neither created nor found.`);
      return {
        ...(ref !== undefined && { ref }),
        id: item._id,
        taskId: item.taskId,
        created: made[index] !== undefined,
      };
    }),
    ...warned(items.flatMap(({ metadata }) => keyWarnings(metadata))),
  };
};

function withNames(given: GivenItem, nameOf: (ref: string) => string | undefined): GivenItem {
  const { parentId, dependsOn } = given;
  const named = (written: string) => (isRef(written) ? (nameOf(written) ?? written) : written);
  return {
    ...given,
    ...(parentId !== undefined && { parentId: named(parentId) }),
    ...(dependsOn && { dependsOn: dependsOn.map(named) }),
  };
}

interface Wanted {
  readonly projectId: string | undefined;
  readonly boardId: string;
  readonly column: string | undefined;
}

async function placeOf(
  context: Context,
  { externalId }: GivenItem,
  { projectId, boardId, column: named }: Wanted,
): Promise<Location> {
  const board = await requireBoardForWrite(context, boardId);
  if (projectId !== undefined && board.projectId !== projectId) {
    const isThere = (await findProject(context, projectId)) !== null;
    const path = isThere ? 'boardId' : 'projectId';
    const message = isThere
      ? `the board "${board.name}" is not one of the project ${projectId}`
      : `there is no project ${projectId}`;
    throw context.fail('VALIDATION_FAILED', message, { details: [{ path, message }] });
  }
  const column =
    named === undefined
      ? requireColumnOfRole(context, board, ['backlog', 'todo'], 'pass boardColumnId')
      : requireColumn(context, board, named);
  const project = await projectForWrite(context, board.projectId);
  const found = externalId === undefined ? null : await findByExternalId(context, project._id, externalId);
  const existing = found ? await findItem(context, found._id) : undefined;
  // It was deleted in between.
  if (existing === null) throw new Stale();
  return { project, board, column, existing };
}

async function projectOf(context: Context, projectId: string | undefined): Promise<ProjectRecord> {
  const project = projectId === undefined ? await onlyProject(context) : await projectForWrite(context, projectId);
  if (project) return project;
  const message = 'is required, or boardId, or a session project';
  throw context.fail('VALIDATION_FAILED', `projectId ${message}: list_projects (GET /api/projects) shows them.`, {
    details: [{ path: 'projectId', message }],
  });
}

async function plan(context: Context, place: Location, given: GivenItem): Promise<Planned> {
  const { parentId, dependsOn } = given;
  const projectId = place.project._id;
  // Where none are given, those that its metadata name hold.
  const outside = dependsOn && { dependsOn: dependsOn.filter((each) => !isRef(each)) };
  const content = await contentOf(context, place.board, { ...given, ...outside }, []);
  const parent = parentId === undefined || isRef(parentId) ? undefined : await requireItem(context, parentId);
  if (parent) requireParentFor(context, { type: given.type, projectId }, parent);
  return { ...place, given, parent, content };
}

/** What an item of the call refers to in it must be in the same project; and a parent of a kind that it may have, not too deep. */
function refuseWithin(
  index: number,
  items: readonly GivenItem[],
  places: readonly (Location | undefined)[],
  byRef: ByRef,
  faults: Faults,
): void {
  const { type, parentId, dependsOn = [] } = items[index] as GivenItem;
  const projectId = places[index]?.project._id;
  const isElsewhere = (written: string | undefined) => {
    const other = places[indexOf(byRef, written) ?? -1];
    return other !== undefined && projectId !== undefined && other.project._id !== projectId;
  };
  if (isElsewhere(parentId)) faults.add(index, 'parentId', `${parentId} is in another project`);
  for (const each of dependsOn) if (isElsewhere(each)) faults.add(index, 'dependsOn', `${each} is in another project`);
  const above = items[indexOf(byRef, parentId) ?? -1];
  const fault = above && parentFault(type, above.type);
  if (fault) faults.add(index, 'parentId', `${fault} (${parentId})`);
}

/** The topmost item of the call above one of its items (or that item itself), and the number of levels up to it. */
function upwards(
  index: number,
  items: readonly GivenItem[],
  byRef: ByRef,
): { readonly top: number; readonly levels: number } {
  let levels = 0;
  let top = index;
  // Those of a circle never end, and are refused already.
  for (let at: number | undefined = index; at !== undefined && levels <= MAX_TREE_LEVELS; levels++) {
    top = at;
    at = indexOf(byRef, items[at]?.parentId);
  }
  return { top, levels };
}
const levelsOf = (item: ItemRecord | undefined) => (item ? ancestorIdsOf(item).length + 1 : 0);

/** Through what exists: within the call, cycles are refused already. */
async function refuseCycles(
  context: Context,
  planned: readonly (Planned | undefined)[],
  order: readonly number[],
  byRef: ByRef,
  faults: Faults,
): Promise<void> {
  const items = new Map<number, Waiting>();
  for (const index of order) {
    const one = planned[index];
    if (!one) continue;
    const { given, parent, content, project } = one;
    const _id = `items.${index}`;
    const named = { _id, taskId: given.ref === undefined ? _id : `#${given.ref}` };
    items.set(index, {
      ...{ ...named, projectId: project._id, childCount: 0 },
      foundBy: foundBy(named, parent ?? items.get(indexOf(byRef, given.parentId) ?? -1) ?? null),
      dependsOn: [...content.dependsOn, ...(given.dependsOn ?? []).filter(isRef)],
    });
  }
  const unsaved = [...items.values()];
  if (unsaved.every(({ dependsOn }) => dependsOn.length === 0)) return;
  const parents = new Map(planned.flatMap((one) => (one?.parent ? [[one.parent._id, one.parent]] : [])));
  for (const [id, parent] of parents) {
    const on = unsaved.filter((item) => item.foundBy.includes(below(id)));
    const waiting = ancestorsOf({ foundBy: aboveChildrenOf(parent) });
    const cycle = await cycleOf(context, { projectId: parent.projectId, waiting, on, unsaved });
    for (const [index, { _id }] of items) {
      if (_id === cycle?.first._id) faults.add(index, 'dependsOn', cycle.told);
    }
  }
}

/** @returns the new items by their index in the call */
async function storeAll(
  context: Context,
  planned: readonly (Planned | undefined)[],
  order: readonly number[],
  byRef: ByRef,
): Promise<readonly (ItemRecord | undefined)[]> {
  // Numbers come last, so that refused calls use none; both in the order of the call.
  const numbers = await Promise.all(
    planned.map(async (one) => {
      if (!one) return undefined;
      const { project, board, given } = one;
      const [taskId, position] = await Promise.all([
        drawTaskId(context, project.key, given.type),
        placeAtEnd(context, board._id),
      ]);
      return { taskId, position };
    }),
  );
  const made: (ItemRecord | undefined)[] = [];
  const children = new Map<string, { readonly parent: ItemRecord; readonly count: number }>();
  for (const index of order) {
    const one = planned[index];
    const number = numbers[index];
    if (!one || !number) continue;
    const { given, parent, content } = one;
    const { dependsOn: written = [] } = given;
    const taskIdOf = (each: string) => numbers[indexOf(byRef, each) ?? -1]?.taskId;
    const dependsOn = [...new Set(written.map((each) => taskIdOf(each) ?? each))];
    const waits = written.filter((each) => isRef(each) && !isOver(planned[indexOf(byRef, each) ?? -1]));
    const above = parent ?? made[indexOf(byRef, given.parentId) ?? -1];
    if (parent) children.set(parent._id, { parent, count: (children.get(parent._id)?.count ?? 0) + 1 });
    made[index] = newItem(
      context,
      given,
      { ...one, ...(above && { parent: above }) },
      {
        ...number,
        metadata: { ...content.metadata, ...(written.length > 0 && { dependsOn }) },
        dependsOn: [...new Set([...content.dependsOn, ...dependsOn])],
        labels: content.labels,
        waitsFor: [...content.waitsFor, ...new Set(waits.map((each) => taskIdOf(each) as string))],
        childCount: planned.filter((other) => indexOf(byRef, other?.given.parentId) === index).length,
      },
    );
  }
  for (const { parent, count } of children.values()) countChildren(context, parent, count);
  const created = planned.flatMap((one, index) => {
    const item = made[index];
    return one && item ? [{ item, board: one.board }] : [];
  });
  for (const { item, board } of created) store(context, item, board);
  await followNew(context, created);
  return made;
}

const isOver = (one: Planned | undefined) => one !== undefined && isMet(one.column.role, one.board);
