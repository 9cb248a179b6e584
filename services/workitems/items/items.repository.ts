import type { HistoryEvent } from '@worktrack/contracts/work-items/history-event';
import mongoose from 'mongoose';
import { type NewEvent, record } from '../history/history.repository.ts';
import type { FailingScope, Scope, WriteScope } from '../scope.ts';
import { takeTurn } from '../turns.repository.ts';
import { below, itself, levelsAbove } from './found-by.ts';
import { ItemModel, type ItemRecord } from './items.model.ts';

/** Fields that a change may set; `version`, `revision` and `updatedAt` follow by themselves. */
export type ItemChanges = Partial<
  Pick<
    ItemRecord,
    | 'title'
    | 'description'
    | 'type'
    | 'priority'
    | 'assignee'
    | 'parentId'
    | 'foundBy'
    | 'boardColumnId'
    | 'position'
    | 'metadata'
    | 'isAiProcessing'
    | 'lease'
  >
>;

const UUID_LENGTH = 36;
const isId = (ref: string) => ref.length === UUID_LENGTH;

/** @param ref a UUID or a task ID, as `ItemRef` leaves it */
export async function findItem({ caller, tx }: Scope, ref: string): Promise<ItemRecord | null> {
  const { organizationId } = caller;
  return ItemModel.findOne({ organizationId, ...(isId(ref) ? { _id: ref } : { taskId: ref }) })
    .session(tx ?? null)
    .lean();
}

export async function requireItem(scope: FailingScope<'NOT_FOUND'>, ref: string): Promise<ItemRecord> {
  const item = await findItem(scope, ref);
  if (!item) throw scope.fail('NOT_FOUND', `There is no work item ${ref}.`);
  // Who requires an item in a write is about to write or touch it.
  if (scope.tx) await takeTurn(scope.tx, item._id);
  return item;
}

/**
 * All that exist, in no order.
 * @param leaveOut fields that the caller does not need: a description may have 50 000 characters, metadata 256 KiB
 */
export async function findItems<Left extends 'description' | 'metadata' = never>(
  { caller, tx }: Scope,
  refs: readonly string[],
  leaveOut: readonly Left[] = [],
): Promise<Omit<ItemRecord, Left>[]> {
  const { organizationId } = caller;
  const fields = Object.fromEntries(leaveOut.map((field) => [field, 0]));
  if (refs.length === 0) return [];
  return ItemModel.find({ organizationId, foundBy: oneOf(refs.map(itself)) }, fields)
    .session(tx ?? null)
    .lean<ItemRecord[]>();
}

/** One after the other, since all at once may be more than a process can hold. */
export async function* metadataOf(
  { caller, tx }: Scope,
  ids: readonly string[],
): AsyncGenerator<Pick<ItemRecord, '_id' | 'metadata'>> {
  const { organizationId } = caller;
  yield* ItemModel.find({ organizationId, _id: oneOf(ids) }, { metadata: 1 })
    .session(tx ?? null)
    .lean<Pick<ItemRecord, '_id' | 'metadata'>[]>()
    .cursor({ batchSize: METADATA_BATCH });
}
const METADATA_BATCH = 20;

/** What the rules need to know of an item beside its content. */
export type ItemOutline = Pick<
  ItemRecord,
  '_id' | 'taskId' | 'type' | 'parentId' | 'boardId' | 'boardColumnId' | 'revision'
>;
const OUTLINE = { taskId: 1, type: 1, parentId: 1, boardId: 1, boardColumnId: 1, revision: 1 } as const;

export async function childrenOf({ caller, tx }: Scope, parentIds: readonly string[]): Promise<ItemOutline[]> {
  const { organizationId } = caller;
  return ItemModel.find({ organizationId, parentId: oneOf(parentIds) }, OUTLINE)
    .session(tx ?? null)
    .lean();
}

/** How many levels there are below an item. */
export async function heightBelow({ caller, tx }: Scope, item: Pick<ItemRecord, '_id' | 'foundBy'>): Promise<number> {
  const { organizationId } = caller;
  const [deepest] = await ItemModel.aggregate<{ phrases: number }>([
    { $match: { organizationId, foundBy: below(item._id) } },
    { $group: { _id: null, phrases: { $max: { $size: '$foundBy' } } } },
  ]).session(tx ?? null);
  return deepest ? levelsAbove(deepest.phrases) - levelsAbove(item.foundBy.length) : 0;
}

/** Takes what the whole tree below an item says of its ancestors from the old ones to the new ones. See found-by.ts. */
export async function replaceAncestors(
  { caller, tx }: WriteScope,
  itemId: string,
  { removed, added }: { readonly removed: readonly string[]; readonly added: readonly string[] },
): Promise<void> {
  const { organizationId } = caller;
  const kept = { $filter: { input: '$foundBy', cond: { $not: { $in: ['$$this', removed] } } } };
  await ItemModel.updateMany(
    { organizationId, foundBy: below(itemId) },
    [{ $set: { foundBy: { $concatArrays: [kept, added] }, revision: { $add: ['$revision', 1] } } }],
    { session: tx, updatePipeline: true },
  );
}

export async function countInColumns({ caller, tx }: Scope, columnIds: readonly string[]): Promise<number> {
  const { organizationId } = caller;
  return ItemModel.countDocuments({ organizationId, boardColumnId: oneOf(columnIds) }).session(tx ?? null);
}

type Place = Pick<ItemRecord, '_id' | 'position'>;

/** The next item of the column after this one; one of the same position comes after those with smaller ids. */
export async function nextInColumn(
  { caller, tx }: Scope,
  anchor: Pick<ItemRecord, '_id' | 'boardColumnId' | 'position'>,
  exceptId: string,
): Promise<Place | undefined> {
  const { organizationId } = caller;
  const { boardColumnId, position } = anchor;
  const find = (at: object, limit: number) =>
    ItemModel.find({ organizationId, boardColumnId, ...at }, { position: 1 })
      .sort({ position: 1, _id: 1 })
      .limit(limit)
      .session(tx ?? null)
      .lean<Place[]>();
  const beside = (await find({ position }, 0)).filter(({ _id }) => _id > anchor._id);
  const after = await find({ position: mongoose.trusted({ $gt: position }) }, 2);
  return [...beside, ...after].find(({ _id }) => _id !== exceptId);
}

/** Ids in the order of the column. */
export async function idsInColumn({ caller, tx }: Scope, boardColumnId: string): Promise<string[]> {
  const { organizationId } = caller;
  const items = await ItemModel.find({ organizationId, boardColumnId }, { _id: 1 })
    .sort({ position: 1, _id: 1 })
    .session(tx ?? null)
    .lean();
  return items.map(({ _id }) => _id);
}

/** Gives neighbours new positions without changing their order: nothing that a caller could see as a change of theirs. */
export async function renumber({ caller, tx }: WriteScope, positions: ReadonlyMap<string, number>): Promise<void> {
  const { organizationId } = caller;
  if (positions.size === 0) return;
  await ItemModel.bulkWrite(
    [...positions].map(([_id, position]) => ({
      updateOne: { filter: { organizationId, _id }, update: { $set: { position }, $inc: { revision: 1 } } },
    })),
    { session: tx },
  );
}

export async function insertItem(scope: WriteScope, item: ItemRecord, events: readonly NewEvent[]): Promise<void> {
  await ItemModel.insertMany([item], { session: scope.tx, lean: true });
  await record(
    scope,
    events.map((event) => ({ ...event, item })),
  );
}

/** The one way to change an item: it counts `version` up and takes the events that say what changed, in the same transaction. */
export async function changeItem(
  scope: WriteScope,
  itemId: string,
  changes: ItemChanges,
  events: readonly NewEvent[],
): Promise<ItemRecord> {
  const { organizationId } = scope.caller;
  await takeTurn(scope.tx, itemId);
  // Not by one findOneAndUpdate: for that, one of our databases reads the whole collection (24 ms at 20 000 items, 2 ms for these two).
  const which = { organizationId, _id: itemId };
  const change = { $set: { ...changes, updatedAt: new Date() }, $inc: { version: 1, revision: 1 } };
  await ItemModel.updateOne(which, change, { session: scope.tx });
  const item = await ItemModel.findOne(which).session(scope.tx).orFail().lean();
  await record(
    scope,
    events.map((event) => ({ ...event, item })),
  );
  return item;
}

/** As changeItem for many items that change alike, in as many queries as for one. The items are as they were read in this transaction. */
export async function changeItems<Item extends Pick<ItemRecord, '_id' | 'revision'>>(
  scope: WriteScope,
  items: readonly Item[],
  changes: ItemChanges & { readonly 'metadata.aiProvider'?: string },
  eventOf: (item: Item) => NewEvent,
): Promise<void> {
  if (items.length === 0) return;
  const { organizationId } = scope.caller;
  await ItemModel.updateMany(
    { organizationId, _id: oneOf(items.map(({ _id }) => _id)) },
    { $set: { ...changes, updatedAt: new Date() }, $inc: { version: 1, revision: 1 } },
    { session: scope.tx },
  );
  await record(
    scope,
    items.map((item) => ({ ...eventOf(item), item: { _id: item._id, revision: item.revision + 1 } })),
  );
}

/**
 * Makes this transaction conflict with every other one that writes, touches or deletes one of these items: for a rule that relies on
 * them, since under snapshot isolation two transactions that only read what the other writes both commit (write skew).
 */
export async function touch({ caller, tx }: WriteScope, ids: readonly string[]): Promise<void> {
  const { organizationId } = caller;
  for (const id of ids) await takeTurn(tx, id);
  await ItemModel.updateMany({ organizationId, _id: oneOf(ids) }, { $inc: { revision: 1 } }, { session: tx });
}

export async function removeItem(scope: WriteScope, item: ItemRecord, event: NewEvent): Promise<void> {
  const { organizationId } = scope.caller;
  await ItemModel.deleteOne({ organizationId, _id: item._id }, { session: scope.tx });
  await record(scope, [{ ...event, item: { _id: item._id, revision: item.revision + 1 } }]);
}

/** An event that goes with no change of the item, such as a comment. Serialised with the item's deletion, so that no event comes after it. */
export async function recordOn(scope: WriteScope, item: ItemRecord, event: NewEvent): Promise<HistoryEvent> {
  await touch(scope, [item._id]);
  const [recorded] = await record(scope, [{ ...event, item: { _id: item._id, revision: item.revision + 1 } }]);
  if (!recorded) throw new Error('An event was recorded and is not there.');
  return recorded;
}

const oneOf = (ids: readonly string[]) => mongoose.trusted({ $in: ids });
