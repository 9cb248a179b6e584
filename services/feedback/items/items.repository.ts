import type { FeedbackItem, Status } from '@worktrack/contracts/feedback/records';
import mongoose, { type ClientSession } from 'mongoose';
import type { Position } from './cursor.ts';
import { type ItemDocument, ItemModel } from './items.model.ts';
import { timeWindows } from './time-windows.ts';

const DUPLICATE_KEY = 11_000;
const DURABLE = { w: 'majority', journal: true } as const;

export interface InboxFilter {
  readonly status?: Status | undefined;
  readonly category?: FeedbackItem['category'] | undefined;
  readonly sourceId?: string | undefined;
  /** Each is to be found in the stored search text. */
  readonly patterns: readonly RegExp[];
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/**
 * Stores the items with one command: grouped, they cost a fraction of what single inserts do. One that cannot be stored holds back
 * no other. Resolves once the rest is durable.
 * @returns what was not stored, by index: `exists` where there is an item of that id
 */
export async function insertItems(
  documents: readonly ItemDocument[],
  timeoutMs: number,
): Promise<ReadonlyMap<number, 'exists' | Error>> {
  try {
    // The driver's own: every field was made by our code, and mongoose would cast and check each again.
    await ItemModel.collection.insertMany(documents as never[], {
      ordered: false,
      writeConcern: DURABLE,
      timeoutMS: timeoutMs,
    });
    return new Map();
  } catch (error) {
    if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    // Without a failed document it is the durability that failed, which is all of them.
    if (failures.length === 0 || error.result.getWriteConcernError()) throw error;
    return new Map(
      failures.map((failure) => [
        failure.index,
        failure.code === DUPLICATE_KEY ? 'exists' : new Error(failure.errmsg ?? 'The item was not stored.'),
      ]),
    );
  }
}

/** The items of these ids that are stored, by id. */
export async function storedItems(
  ids: readonly { readonly organizationId: string; readonly id: string }[],
): Promise<ReadonlyMap<string, ItemDocument>> {
  if (ids.length === 0) return new Map();
  const found = await ItemModel.find({
    $or: ids.map(({ organizationId, id }) => ({ organizationId, _id: id })),
  }).lean();
  return new Map(found.map((document) => [document._id, document]));
}

/**
 * A page of the inbox, newest first. It is read by widening ranges of time (time-windows.ts), each through the index: a database that
 * uses no index for order would else sort the whole inbox for every page (20 000 items: 40 times as long), and one that does loses
 * nothing.
 */
export async function newestItems(
  organizationId: string,
  filter: InboxFilter,
  after: Position | undefined,
  limit: number,
): Promise<FeedbackItem[]> {
  const { status, category, sourceId, patterns, fromMs, toMs } = filter;
  const wanted = {
    organizationId,
    ...(status && { status }),
    ...(category && { category }),
    ...(sourceId && { sourceId }),
    ...(patterns.length > 0 && { $and: patterns.map((searchText) => ({ searchText })) }),
  };
  const beforeMs = Math.min(after ? after.createdAtMs + 1 : Infinity, toMs ?? Infinity);
  const items: FeedbackItem[] = [];
  for (const window of timeWindows(beforeMs, fromMs ?? -Infinity, Date.now())) {
    const range = {
      ...(Number.isFinite(window.fromMs) && { $gte: new Date(window.fromMs) }),
      ...(Number.isFinite(window.beforeMs) && { $lt: new Date(window.beforeMs) }),
    };
    const documents = await ItemModel.find({
      ...wanted,
      ...(Object.keys(range).length > 0 && { createdAt: mongoose.trusted(range) }),
      ...(after && window.beforeMs > after.createdAtMs && { $or: olderThan(after) }),
    })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit - items.length)
      .lean();
    items.push(...documents.map(recordOf));
    if (items.length === limit) break;
  }
  return items;
}

/** Of the items that were created in one millisecond the ids give the order. */
function olderThan({ createdAtMs, id }: Position) {
  return [{ createdAt: mongoose.trusted({ $lt: new Date(createdAtMs) }) }, { _id: mongoose.trusted({ $lt: id }) }];
}

export async function itemById(
  organizationId: string,
  id: string,
  tx?: ClientSession,
): Promise<FeedbackItem | undefined> {
  const document = await ItemModel.findOne({ organizationId, _id: id })
    .session(tx ?? null)
    .lean();
  return document ? recordOf(document) : undefined;
}

export async function setStatus(
  organizationId: string,
  id: string,
  status: Status,
  tx: ClientSession,
): Promise<FeedbackItem | undefined> {
  return update(organizationId, id, { $set: { status, updatedAt: new Date() } }, tx);
}

/** Linking again changes nothing. */
export async function addLink(
  organizationId: string,
  id: string,
  workItemId: string,
  status: Status,
  tx: ClientSession,
): Promise<FeedbackItem | undefined> {
  const change = { $addToSet: { linkedWorkItemIds: workItemId }, $set: { status, updatedAt: new Date() } };
  return update(organizationId, id, change, tx);
}

async function update(
  organizationId: string,
  id: string,
  change: mongoose.UpdateQuery<ItemDocument>,
  tx: ClientSession,
): Promise<FeedbackItem | undefined> {
  const document = await ItemModel.findOneAndUpdate({ organizationId, _id: id }, change, {
    returnDocument: 'after',
    session: tx,
  }).lean();
  return document ? recordOf(document) : undefined;
}

export async function countLinked(organizationId: string, workItemId: string, tx: ClientSession): Promise<number> {
  return ItemModel.countDocuments({ organizationId, linkedWorkItemIds: workItemId }).session(tx);
}

/** Oldest first, at most `limit` of them, and how many there are. */
export async function itemsLinkedTo(
  organizationId: string,
  workItemIds: readonly string[],
  limit: number,
): Promise<{ readonly items: FeedbackItem[]; readonly total: number }> {
  const linked = { organizationId, linkedWorkItemIds: mongoose.trusted({ $in: [...workItemIds] }) };
  const documents = await ItemModel.find(linked).sort({ createdAt: 1, _id: 1 }).limit(limit).lean();
  const total = documents.length < limit ? documents.length : await ItemModel.countDocuments(linked);
  return { items: documents.map(recordOf), total };
}

function recordOf(document: ItemDocument): FeedbackItem {
  const { _id, sourceId, status, message, category, email, pageUrl, locale, origin, linkedWorkItemIds } = document;
  return {
    id: _id,
    sourceId,
    status,
    message,
    category,
    email,
    pageUrl,
    locale,
    origin,
    linkedWorkItemIds,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
  };
}
