import type { FeedbackItem, Status } from '@worktrack/contracts/feedback/records';
import { DUPLICATE_KEY } from '@worktrack/runtime/database/duplicate-key';
import { inOrder } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import mongoose from 'mongoose';
import { placesOf, submittedTo } from '../sources/sources.repository.ts';
import { tell } from '../tell.ts';
import type { TellingScope } from '../telling-scope.ts';
import type { Position } from './cursor.ts';
import { type ItemDocument, ItemModel } from './items.model.ts';
import { TOLD_OF, tellOfReceipt } from './received.repository.ts';

const DURABLE = { w: 'majority', journal: true } as const;

export interface InboxFilter {
  readonly status?: Status | undefined;
  readonly category?: FeedbackItem['category'] | undefined;
  readonly sourceId?: string | undefined;
  /** Each must occur in the stored search text literally: letters and digits mean nothing special in a pattern. */
  readonly searchParts: readonly string[];
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/**
 * Stores the items with one command: grouped, they cost a fraction of what single inserts do. One that cannot be stored does not hold back
 * the others. Resolves once the rest is durable.
 * @returns what was not stored, by index: `exists` if there already is an item with that id
 */
export async function insertItems(documents: readonly ItemDocument[]): Promise<ReadonlyMap<number, 'exists' | Error>> {
  try {
    // The driver's own: every field was made by our code, and mongoose would cast and check each one again.
    await ItemModel.collection.insertMany(documents as never[], {
      ordered: false,
      writeConcern: DURABLE,
    });
    return new Map();
  } catch (error) {
    if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    // Without a failed document it is durability that failed, which concerns all of them.
    if (failures.length === 0 || error.result.getWriteConcernError()) throw error;
    return new Map(
      failures.map((failure) => [
        failure.index,
        failure.code === DUPLICATE_KEY ? 'exists' : new Error(failure.errmsg ?? 'The item was not stored.'),
      ]),
    );
  }
}

/** The stored items with these ids, by id. */
export async function storedItems(
  documents: readonly Pick<ItemDocument, '_id' | 'organizationId'>[],
): Promise<ReadonlyMap<string, ItemDocument>> {
  const found = await Promise.all(
    [...Map.groupBy(documents, ({ organizationId }) => organizationId)].map(([organizationId, group]) =>
      ItemModel.find({ organizationId, _id: oneOf(group.map(({ _id }) => _id)) }).lean(),
    ),
  );
  return new Map(found.flat().map((document) => [document._id, document]));
}

/** A page of the inbox, newest first. */
export async function newestItems(
  { caller }: Scope,
  filter: InboxFilter,
  after: Position | undefined,
  limit: number,
): Promise<FeedbackItem[]> {
  const { organizationId } = caller;
  const { status, category, sourceId, searchParts, fromMs, toMs } = filter;
  // Given by its id, a source is known to exist for the caller.
  const ofCaller = sourceId === undefined ? await submittedTo({ caller }) : {};
  const documents = await inOrder<ItemDocument>(ItemModel, {
    filter: {
      organizationId,
      ...(status && { status }),
      ...(category && { category }),
      ...(sourceId === undefined ? ofCaller : { sourceId }),
      ...(searchParts.length > 0 && { $and: searchParts.map((part) => ({ searchText: { $regex: part } })) }),
    },
    order: NEWEST,
    range: {
      ...(fromMs !== undefined && { $gt: new Date(fromMs - 1) }),
      ...(toMs !== undefined && { $lt: new Date(toMs) }),
    },
    after: after && { value: new Date(after.createdAtMs), id: after.id },
    limit,
    present: [{ $project: SHOWN }],
  });
  return documents.map(recordOf);
}

const NEWEST = { field: 'createdAt', direction: -1 } as const;
const SHOWN = { organizationId: 0, ipHash: 0, contentHash: 0, searchText: 0 } as const;

export async function itemById({ caller, tx }: Scope, id: string): Promise<FeedbackItem | undefined> {
  const document = await ItemModel.findOne(
    {
      organizationId: caller.organizationId,
      _id: id,
      ...(await submittedTo({ caller, ...(tx && { tx }) })),
    },
    null,
    { session: tx },
  ).lean();
  return document ? recordOf(document) : undefined;
}

export async function changeItem(
  scope: TellingScope,
  id: string,
  change: { readonly status?: Status; readonly link?: string; readonly unlink?: string },
): Promise<void> {
  const { status, link, unlink } = change;
  const which = { organizationId: scope.caller.organizationId, _id: id };
  const before = await ItemModel.findOne(
    which,
    { ...TOLD_OF, status: 1, linkedWorkItemIds: 1 },
    { session: scope.tx },
  ).lean();
  if (!before) return;
  await ItemModel.updateOne(
    which,
    {
      $set: { ...(status && { status }), updatedAt: new Date() },
      $inc: { revision: 1 },
      $unset: { unpublished: 1 },
      ...(link && { $addToSet: { linkedWorkItemIds: link } }),
      ...(unlink && { $pull: { linkedWorkItemIds: unlink } }),
    },
    { session: scope.tx },
  );
  const places = await placesOf([before], scope.tx);
  tellOfReceipt(scope, before, places);
  const of = { subject: { kind: 'feedback', id }, revision: (before.revision ?? 0) + 1 } as const;
  if (link && !before.linkedWorkItemIds.includes(link)) {
    // Of no project: the work item may be in another one than the source, where for some it does not exist.
    tell(scope, { ...of, type: 'feedback.linked', data: { workItemId: link } });
  }
  if (unlink) tell(scope, { ...of, type: 'feedback.unlinked', data: { workItemId: unlink } });
  if (status && status !== before.status) {
    const changes = { status: { from: before.status, to: status } };
    tell(scope, { ...of, type: 'feedback.status_changed', ...places.get(before.sourceId), data: { changes } });
  }
}

export async function countLinked({ caller, tx }: TransactionalScope, workItemId: string): Promise<number> {
  const { organizationId } = caller;
  const ofCaller = await submittedTo({ caller, tx });
  return ItemModel.countDocuments({ organizationId, linkedWorkItemIds: workItemId, ...ofCaller }, { session: tx });
}

/** Oldest first, at most `limit` of them, and how many there are. */
export async function itemsLinkedTo(
  { caller }: Scope,
  workItemIds: readonly string[],
  limit: number,
): Promise<{ readonly items: FeedbackItem[]; readonly total: number }> {
  const linked = {
    organizationId: caller.organizationId,
    linkedWorkItemIds: oneOf(workItemIds),
    ...(await submittedTo({ caller })),
  };
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
    ...(document.erasedAt && { erasedAt: document.erasedAt.toISOString() }),
  };
}
