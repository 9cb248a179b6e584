import type { ItemType } from '@worktrack/contracts/work-items/work-item';
import { inOrder } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import mongoose, { type ClientSession } from 'mongoose';
import { gathered } from '../calls/gathered.ts';
import type { FailingScope, Scope } from '../calls/scope.ts';
import { within } from '../calls/within.repository.ts';
import { itself, levelsAbove, below as phraseBelow } from './found-by.ts';
import { ItemModel, type ItemRecord } from './items.model.ts';
import { type ItemOutline, OUTLINE } from './shown/views.ts';

const UUID_LENGTH = 36;
const isId = (ref: string) => ref.length === UUID_LENGTH;

/** @param ref a UUID or a task ID, as parsed by `ItemRef` */
export async function findItem({ caller, tx }: Scope, ref: string): Promise<ItemRecord | null> {
  return tx ? findNow(caller, ref, tx) : findTogether(caller, ref);
}

async function findNow(caller: Scope['caller'], ref: string, tx?: ClientSession): Promise<ItemRecord | null> {
  return ItemModel.findOne({ ...within(caller), ...(isId(ref) ? { _id: ref } : { taskId: ref }) }, null, {
    session: tx,
  }).lean();
}

const findTogether = gathered<ItemRecord>(async (caller, refs) => {
  const [first, ...others] = refs;
  const items =
    first !== undefined && others.length === 0 ? [await findNow(caller, first)] : await findItems({ caller }, refs);
  return new Map(items.flatMap((item) => (item ? [[item._id, item] as const, [item.taskId, item] as const] : [])));
});

export async function requireItem(scope: FailingScope<'NOT_FOUND'>, ref: string): Promise<ItemRecord> {
  const item = await findItem(scope, ref);
  if (!item) throw scope.fail('NOT_FOUND', `There is no work item ${ref}.`);
  return item;
}

/**
 * All that exist, in no particular order.
 * @param leaveOut fields that the caller does not need: a description may have 50 000 characters, metadata 256 KiB
 */
export async function findItems<Left extends 'description' | 'metadata' = never>(
  { caller, tx }: Scope,
  refs: readonly string[],
  leaveOut: readonly Left[] = [],
): Promise<Omit<ItemRecord, Left>[]> {
  const fields = Object.fromEntries(leaveOut.map((field) => [field, 0]));
  if (refs.length === 0) return [];
  return ItemModel.find({ ...within(caller), foundBy: oneOf(refs.map(itself)) }, fields, { session: tx }).lean<
    ItemRecord[]
  >();
}

/** One after the other, since all at once may be more than a process can hold. */
export async function* metadataOf(
  { caller: { organizationId }, tx }: Scope,
  ids: readonly string[],
): AsyncGenerator<Pick<ItemRecord, '_id' | 'metadata'>> {
  yield* ItemModel.find({ organizationId, _id: oneOf(ids) }, { metadata: 1 }, { session: tx })
    .lean<Pick<ItemRecord, '_id' | 'metadata'>[]>()
    .cursor({ batchSize: METADATA_BATCH });
}
const METADATA_BATCH = 20;

/** All that exist, in no particular order, without what is large. */
export async function findOutlines({ caller, tx }: Scope, refs: readonly string[]): Promise<ItemOutline[]> {
  const { organizationId } = caller;
  if (refs.length === 0) return [];
  return ItemModel.find({ organizationId, foundBy: oneOf(refs.map(itself)) }, OUTLINE, { session: tx }).lean();
}

/** Items that name one of these as a dependency. @param references UUIDs and task IDs */
export async function dependentsOf({ caller, tx }: Scope, references: readonly string[]): Promise<ItemOutline[]> {
  const { organizationId } = caller;
  return ItemModel.find({ organizationId, dependsOn: oneOf(references) }, OUTLINE, { session: tx }).lean();
}

/** Items below one of these that depend on anything. */
export async function dependentsBelow({ caller, tx }: Scope, ids: readonly string[]): Promise<ItemOutline[]> {
  const { organizationId } = caller;
  if (ids.length === 0) return [];
  return ItemModel.find(
    { organizationId, foundBy: oneOf(ids.map(phraseBelow)), dependsOn: mongoose.trusted({ $ne: [] }) },
    OUTLINE,
    { session: tx },
  ).lean();
}

type WithLists = ItemOutline & { readonly metadata?: { readonly dependsOn?: unknown } };
const WITH_LISTS = { ...OUTLINE, 'metadata.dependsOn': 1 } as const;

/** Like dependentsOf, with the lists as they are in their metadata. */
export async function dependentsWithLists({ caller, tx }: Scope, references: readonly string[]): Promise<WithLists[]> {
  const { organizationId } = caller;
  return ItemModel.find({ organizationId, dependsOn: oneOf(references) }, WITH_LISTS, { session: tx }).lean<
    WithLists[]
  >();
}

/** The same of these items. */
export async function outlinesWithLists({ caller, tx }: Scope, ids: readonly string[]): Promise<WithLists[]> {
  const { organizationId } = caller;
  return ItemModel.find({ organizationId, foundBy: oneOf(ids.map(itself)) }, WITH_LISTS, { session: tx }).lean<
    WithLists[]
  >();
}

/** One after the other: a column of done work may hold more than fit into memory. */
export function outlinesInColumns({ caller, tx }: Scope, columnIds: readonly string[]): AsyncIterable<ItemOutline> {
  const { organizationId } = caller;
  return ItemModel.find({ organizationId, boardColumnId: oneOf(columnIds) }, OUTLINE, { session: tx })
    .lean<ItemOutline[]>()
    .cursor({ batchSize: OUTLINES_AT_ONCE });
}
const OUTLINES_AT_ONCE = 1_000;

export async function childrenOf({ caller, tx }: Scope, parentId: string, limit: number): Promise<ItemOutline[]> {
  const { organizationId } = caller;
  return ItemModel.find({ organizationId, parentId }, OUTLINE, { limit, session: tx }).lean();
}

type Placed = Pick<ItemRecord, 'boardId' | 'boardColumnId'>;

/** A child that is in none of the columns, other than some. */
export async function childOutside(
  { caller: { organizationId }, tx }: Scope,
  parentId: string,
  columns: readonly { readonly id: string }[],
  others: readonly Pick<ItemRecord, '_id'>[],
): Promise<Placed | null> {
  return ItemModel.findOne(
    {
      organizationId,
      parentId,
      boardColumnId: mongoose.trusted({ $nin: columns.map(({ id }) => id) }),
      _id: mongoose.trusted({ $nin: others.map(({ _id }) => _id) }),
    },
    { boardId: 1, boardColumnId: 1 },
    { session: tx },
  ).lean<Placed>();
}

type Typed = Pick<ItemRecord, 'type' | 'taskId'>;

/** A child of one of the types. */
export async function childOfType(
  { caller: { organizationId }, tx }: Scope,
  parentId: string,
  types: readonly ItemType[],
): Promise<Typed | null> {
  return ItemModel.findOne(
    { organizationId, parentId, type: oneOf(types) },
    { type: 1, taskId: 1 },
    { session: tx },
  ).lean<Typed>();
}

/** How many items there are below some. */
export async function countBelow({ caller, tx }: Scope, items: readonly Pick<ItemRecord, '_id'>[]): Promise<number> {
  const { organizationId } = caller;
  const ids = items.map(({ _id }) => phraseBelow(_id));
  const [below] = await ItemModel.aggregate<{ total: number }>(
    [{ $match: { organizationId, foundBy: oneOf(ids) } }, { $group: { _id: null, total: { $sum: 1 } } }],
    { session: tx },
  );
  return below?.total ?? 0;
}

/** What is below an item: how many items, and on how many levels. */
export async function sizeBelow(
  { caller: { organizationId }, tx }: Scope,
  item: Pick<ItemRecord, '_id' | 'foundBy'>,
): Promise<{ readonly items: number; readonly levels: number }> {
  const [below] = await ItemModel.aggregate<{ items: number; phrases: number }>(
    [
      { $match: { organizationId, foundBy: phraseBelow(item._id) } },
      { $group: { _id: null, items: { $sum: 1 }, phrases: { $max: { $size: '$foundBy' } } } },
    ],
    { session: tx },
  );
  if (!below) return { items: 0, levels: 0 };
  return { items: below.items, levels: levelsAbove(below.phrases) - levelsAbove(item.foundBy.length) };
}

type Positioned = Pick<ItemRecord, '_id' | 'position'>;

/** The next item in the column after this one; among equal positions, smaller ids come first. */
export async function nextInColumn(
  { caller: { organizationId }, tx }: Scope,
  { _id: id, boardColumnId, position: value }: Pick<ItemRecord, '_id' | 'boardColumnId' | 'position'>,
  exceptId: string,
): Promise<Positioned | undefined> {
  const next = await inOrder<Positioned>(ItemModel, {
    filter: { organizationId, boardColumnId },
    order: { field: 'position', direction: 1 },
    after: { value, id },
    limit: 2,
    present: [{ $project: { position: 1 } }],
    session: tx,
  });
  return next.find(({ _id }) => _id !== exceptId);
}

/** In column order. */
export async function outlinesInOrder({ caller, tx }: Scope, boardColumnId: string): Promise<ItemOutline[]> {
  const { organizationId } = caller;
  return ItemModel.find({ organizationId, boardColumnId }, OUTLINE, {
    sort: { position: 1, _id: 1 },
    session: tx,
  }).lean();
}

/** In column order: up to so many on either side of an item, and the item between them. */
export async function outlinesNear(
  { caller: { organizationId }, tx }: Scope,
  { _id, boardColumnId, position }: Pick<ItemRecord, '_id' | 'boardColumnId' | 'position'>,
  limit: number,
): Promise<ItemOutline[]> {
  const find = (at: object, direction: 1 | -1) =>
    ItemModel.find({ organizationId, boardColumnId, position: mongoose.trusted(at) }, OUTLINE, {
      sort: { position: direction, _id: direction },
      limit,
      session: tx,
    }).lean<ItemOutline[]>();
  const [before, after] = [await find({ $lte: position }, -1), await find({ $gte: position }, 1)];
  const isSame = (item: Positioned) => item.position === position;
  return [
    ...before.filter((item) => !isSame(item) || item._id < _id).reverse(),
    ...after.filter((item) => !isSame(item) || item._id >= _id),
  ];
}
