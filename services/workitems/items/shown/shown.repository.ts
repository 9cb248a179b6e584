import { oneOf } from '@worktrack/runtime/database/one-of';
import type { FailingScope, Scope } from '../../calls/scope.ts';
import { exists, within } from '../../calls/within.repository.ts';
import { below, itself } from '../found-by.ts';
import { ItemModel } from '../items.model.ts';
import { NAMED, type NamedItem, RESOLVABLE, type Seen, SHOWN, type ShownItem } from './views.ts';

/** All that exist, in no particular order, with one query. @param refs UUIDs and task IDs */
export async function shownItems({ caller }: Scope, refs: readonly string[]): Promise<ShownItem[]> {
  return ItemModel.find({ ...within(caller), foundBy: oneOf(refs.map(itself)) }, SHOWN).lean<ShownItem[]>();
}

/** The item in a project that was created with this id. */
export async function findByExternalId(
  { caller }: Scope,
  projectId: string,
  externalId: string,
): Promise<ShownItem | null> {
  if (!exists(caller, projectId)) return null;
  const { organizationId } = caller;
  // Repeats the condition of the partial index, which contains only items that have one.
  const [item] = await ItemModel.aggregate<ShownItem>([
    { $match: { organizationId, externalId: { $eq: externalId, $exists: true }, projectId } },
    { $limit: 1 },
    { $project: SHOWN },
  ]);
  return item ?? null;
}

/** @param ref a UUID or a task ID */
export async function findNamed({ caller }: Scope, ref: string): Promise<NamedItem | null> {
  return ItemModel.findOne({ ...within(caller), foundBy: itself(ref) }, NAMED).lean<NamedItem>();
}

export async function requireNamed(scope: FailingScope<'NOT_FOUND'>, ref: string): Promise<NamedItem> {
  const item = await findNamed(scope, ref);
  if (!item) throw scope.fail('NOT_FOUND', `There is no work item ${ref}.`);
  return item;
}

/** What `resolve` shows of an item, and what places it in a tree. */
export type ResolvableItem = Seen<typeof RESOLVABLE> & {
  /** Only for items requested with it. */
  readonly description?: string;
};

/**
 * The named items, and everything below those in `roots`, in no particular order, with one query. Named tasks include their descriptions, and so does
 * anything named that is not a root, since these are what the result shows.
 */
export async function resolvableItems(
  { caller }: Scope,
  { roots, others }: { readonly roots: readonly string[]; readonly others: readonly string[] },
): Promise<ResolvableItem[]> {
  const namedRoots = roots.map(itself);
  const namedOthers = others.map(itself);
  const phrases = [...new Set([...namedRoots, ...namedOthers, ...roots.map(below)])];
  if (phrases.length === 0) return [];
  const isAmong = (named: readonly string[]) => ({ $ne: [{ $setIntersection: ['$foundBy', named] }, []] });
  const isShown = { $or: [isAmong(namedOthers), { $and: [{ $eq: ['$type', 'task'] }, isAmong(namedRoots)] }] };
  return ItemModel.aggregate<ResolvableItem>([
    { $match: { ...within(caller), foundBy: { $in: phrases } } },
    { $project: { ...RESOLVABLE, description: { $cond: [isShown, '$description', '$$REMOVE'] } } },
  ]).option({ batchSize: IN_ONE_ANSWER });
}

/** By default the driver fetches 101 documents first, then the rest. */
const IN_ONE_ANSWER = 10_000;

/** By id. */
export async function descriptionsOf({ caller }: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const items = await ItemModel.find({ ...within(caller), _id: oneOf(ids) }, { description: 1 }).lean();
  return new Map(items.map(({ _id, description }) => [_id, description]));
}
