import type { PipelineStage } from 'mongoose';
import { AttachmentModel, type AttachmentRecord } from '../attachments/attachments.model.ts';
import { BoardModel, type BoardRecord } from '../boards/boards.model.ts';
import { BudgetModel, type BudgetRecord } from '../budgets/budgets.model.ts';
import type { Scope } from '../calls/scope.ts';
import { exists, withinProject } from '../calls/within.repository.ts';
import { below, childOf, itself } from '../items/found-by.ts';
import { ItemModel } from '../items/items.model.ts';
import { PLANNED, type PlannedItem } from '../items/shown/views.ts';
import { ProjectModel, type ProjectRecord } from '../projects/projects.model.ts';

/** By default the driver fetches 101 documents first, then the rest. */
const IN_ONE_ANSWER = { batchSize: 10_000 } as const;

/** Which items: those named by UUID or task ID, children by their parent, and everything below. */
export interface Which {
  readonly named?: Iterable<string>;
  readonly childrenOf?: Iterable<string>;
  readonly below?: Iterable<string>;
}

/** In no particular order, with one query. */
export function outlinesOf(scope: Scope, which: Which, projectId?: string): Promise<PlannedItem[]> {
  return ItemModel.aggregate<PlannedItem>([...matching(scope, which, projectId), { $project: PLANNED }], {
    session: scope.tx,
  }).option(IN_ONE_ANSWER);
}

/** All of a tree but its root, in no particular order. */
export async function idsBelow({ caller }: Scope, rootId: string): Promise<string[]> {
  const found = await ItemModel.aggregate<{ readonly _id: string }>([
    ...matching({ caller }, { below: [rootId] }),
    { $project: { _id: 1 } },
  ]).option(IN_ONE_ANSWER);
  return found.map(({ _id }) => _id);
}

/** What surrounds items, in no particular order. */
export interface Surroundings<Item extends PlannedItem = PlannedItem> {
  readonly items: readonly Item[];
  /** All boards of the given projects. */
  readonly boards: ReadonlyMap<string, BoardRecord>;
  readonly attachments: readonly AttachmentRecord[];
  readonly budgets: readonly BudgetRecord[];
}

/**
 * Items, their boards and the attachments of one of them, with one query.
 * @param projectIds of the items; if empty there is nothing to find
 * @param alsoDescriptions otherwise they are left out
 */
export async function surroundings<Described extends boolean = false>(
  scope: Scope,
  which: Which,
  projectIds: Iterable<string>,
  options: {
    readonly attachmentsOf?: string;
    readonly alsoDescriptions?: Described;
    readonly alsoBudgets?: boolean;
  } = {},
): Promise<Surroundings<Described extends true ? PlannedItem & { readonly description: string } : PlannedItem>> {
  const { organizationId } = scope.caller;
  const { attachmentsOf, alsoDescriptions, alsoBudgets } = options;
  const projects = [...new Set(projectIds)];
  if (projects.length === 0) return { items: [], boards: new Map(), attachments: [], budgets: [] };
  const found = await ItemModel.aggregate<PlannedItem | BoardRecord | AttachmentRecord | BudgetRecord>(
    [
      ...matching(scope, which),
      { $project: { ...PLANNED, ...(alsoDescriptions && { description: 1 }) } },
      union(BoardModel.collection.name, { organizationId, projectId: { $in: projects } }),
      ...(attachmentsOf === undefined
        ? []
        : [union(AttachmentModel.collection.name, { organizationId, workItemId: attachmentsOf })]),
      ...(alsoBudgets ? [union(BudgetModel.collection.name, { organizationId, projectId: { $in: projects } })] : []),
    ],
    { session: scope.tx },
  ).option(IN_ONE_ANSWER);
  return {
    items: found.filter((each) => 'taskId' in each && 'boardId' in each) as never,
    boards: boardsAmong(found),
    attachments: found.filter((each) => 'workItemId' in each),
    budgets: found.filter((each) => 'limitMicrodollars' in each),
  };
}

/** Possible parents: epics and features, newest first; with all their possible boards and projects, in one query. */
export async function newestParents(
  { caller }: Scope,
  projectId: string | undefined,
  limit: number,
): Promise<Pick<Surroundings, 'items' | 'boards'> & { readonly projects: readonly ProjectRecord[] }> {
  const { organizationId } = caller;
  const inProject = withinProject(caller, projectId);
  const found = await ItemModel.aggregate<PlannedItem | BoardRecord | ProjectRecord>([
    { $match: { ...inProject, type: { $in: ['epic', 'feature'] } } },
    // Before any other stage: only then can an index provide the order.
    { $sort: { _id: -1 } },
    { $limit: limit },
    { $project: PLANNED },
    union(BoardModel.collection.name, inProject),
    ...(projectId && exists(caller, projectId)
      ? [union(ProjectModel.collection.name, { organizationId, _id: projectId })]
      : []),
  ]);
  return {
    items: found.filter((each) => 'taskId' in each),
    boards: boardsAmong(found),
    projects: found.filter((each) => 'defaultBoardId' in each),
  };
}

function matching({ caller }: Scope, which: Which, projectId?: string): PipelineStage.Match[] {
  const phrases = [
    ...[...(which.named ?? [])].map(itself),
    ...[...(which.childrenOf ?? [])].map(childOf),
    ...[...(which.below ?? [])].map(below),
  ];
  return [{ $match: { ...withinProject(caller, projectId), foundBy: { $in: [...new Set(phrases)] } } }];
}

const union = (coll: string, match: Record<string, unknown>): PipelineStage.UnionWith => ({
  $unionWith: { coll, pipeline: [{ $match: match }] },
});

function boardsAmong(found: readonly object[]): ReadonlyMap<string, BoardRecord> {
  const boards = found.filter((each): each is BoardRecord => 'columns' in each);
  return new Map(boards.map((board) => [board._id, board]));
}
