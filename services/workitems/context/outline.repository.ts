import mongoose from 'mongoose';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';
import { narrowed } from '../narrowed.ts';
import type { Scope } from '../scope.ts';

/** What plans need to know of an item: not its text, which would be most of the answer's work for some hundreds of them. */
export type Outline = Pick<
  ItemRecord,
  | '_id'
  | 'taskId'
  | 'title'
  | 'type'
  | 'priority'
  | 'projectId'
  | 'boardId'
  | 'boardColumnId'
  | 'position'
  | 'parentId'
  | 'lease'
> & { readonly metadata?: { readonly dependsOn?: unknown; readonly prompt?: { readonly generatedAt?: unknown } } };

export const OUTLINE = {
  taskId: 1,
  title: 1,
  type: 1,
  priority: 1,
  projectId: 1,
  boardId: 1,
  boardColumnId: 1,
  position: 1,
  parentId: 1,
  lease: 1,
  'metadata.dependsOn': 1,
  'metadata.prompt.generatedAt': 1,
} as const;

const UUID_LENGTH = 36;

/** All that exist of these, by UUID or task ID, in no order. One query for each of the two kinds that is there. */
export async function outlinesOf(
  { caller, tx }: Scope,
  refs: Iterable<string>,
  projectId?: string,
): Promise<Outline[]> {
  const { organizationId } = caller;
  const all = [...new Set(refs)];
  const found: Outline[] = [];
  for (const [field, values] of [
    ['_id', all.filter((ref) => ref.length === UUID_LENGTH)],
    ['taskId', all.filter((ref) => ref.length !== UUID_LENGTH)],
  ] as const) {
    if (values.length === 0) continue;
    found.push(
      ...(await ItemModel.aggregate<Outline>([
        ...narrowed({ organizationId, [field]: { $in: values } }, { projectId }),
        { $project: OUTLINE },
      ]).session(tx ?? null)),
    );
  }
  return [...new Map(found.map((outline) => [outline._id, outline])).values()];
}

/** Everything below the given items, level by level: as many queries as there are levels, however many items. */
export async function outlinesBelow(
  { caller, tx }: Scope,
  ids: readonly string[],
  levels = Number.POSITIVE_INFINITY,
): Promise<Outline[]> {
  const { organizationId } = caller;
  const below: Outline[] = [];
  // Parents cannot form a cycle; still a loop that ends by itself is worth a set.
  const seen = new Set(ids);
  for (let level = [...seen], depth = 0; level.length > 0 && depth < levels; depth++) {
    const children = await ItemModel.find({ organizationId, parentId: mongoose.trusted({ $in: level }) }, OUTLINE)
      .session(tx ?? null)
      .lean<Outline[]>();
    const fresh = children.filter(({ _id }) => !seen.has(_id));
    for (const { _id } of fresh) seen.add(_id);
    below.push(...fresh);
    level = fresh.map(({ _id }) => _id);
  }
  return below;
}

/** What items can be put below: epics and features, newest first. */
export async function newestParents(
  { caller }: Scope,
  projectId: string | undefined,
  limit: number,
): Promise<Outline[]> {
  const { organizationId } = caller;
  return ItemModel.aggregate<Outline>([
    ...narrowed({ organizationId, projectId }, { type: { $in: ['epic', 'feature'] } }),
    { $project: OUTLINE },
    { $sort: { _id: -1 } },
    { $limit: limit },
  ]);
}
