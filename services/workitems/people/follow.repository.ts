import { isDeepStrictEqual } from 'node:util';
import { replaceValues } from '@worktrack/contracts/query-values';
import { NAMING_FILTERS } from '@worktrack/contracts/work-items/lists/list-filters';
import { LEASE_STATES } from '@worktrack/contracts/work-items/work-item';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { databaseServer } from '@worktrack/runtime/database/server';
import { updateEach } from '@worktrack/runtime/database/writes/update-each';
import mongoose from 'mongoose';
import { HistoryModel, type HistoryRecord } from '../history/history.model.ts';
import { asRead, type ReadItem } from '../items/grounds.ts';
import { ItemModel } from '../items/items.model.ts';
import { ViewModel } from '../views/views.model.ts';
import type { NamesRecord } from './names.model.ts';

/**
 * Takes the name over into the items that are assigned to the user. Nothing else about them changes, so it is no event, and no new version: only whoever
 * is changing one at the moment has to read it again. Items of earlier versions do not say which user they mean by a name.
 */
export async function followInItems({ _id: userId, organizationId, name, former }: NamesRecord): Promise<void> {
  const isUsers = oneOf([userId, null]);
  // An agent may have the name, too.
  const notClaimed = mongoose.trusted({ $nin: former });
  for (const assignee of former) {
    const isNamedSo = { organizationId, assignee, claimedBy: notClaimed, assigneeId: isUsers };
    await setInAll(isNamedSo, { assignee: name, assigneeId: userId });
  }
  // What agents hold goes back to whom it was taken from.
  for (const state of LEASE_STATES) {
    const goesBackToThem = {
      ...{ organizationId, 'lease.state': state },
      ...{ 'lease.before.assignee': oneOf(former), 'lease.before.claimedBy': notClaimed },
      // Of the item it may be another one, whom it was given to meanwhile.
      'lease.before.assigneeId': isUsers,
    };
    await setInAll(goesBackToThem, { 'lease.before.assignee': name, 'lease.before.assigneeId': userId });
  }
}

const SET_AT_ONCE = 500;

/**
 * Each by itself, which holds nothing while it waits: somebody may be writing one of them in a transaction, which an `updateMany` would wait for halfway. One that was
 * written since it was read is read again.
 * @param which what is set ends it
 */
async function setInAll(
  which: Readonly<Record<string, unknown>>,
  set: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (;;) {
    const found = await ItemModel.find(which, { organizationId: 1, treeVersion: 1, revision: 1 })
      .limit(SET_AT_ONCE)
      .lean<ReadItem[]>();
    if (found.length === 0) return;
    const updates = found.map((item) => ({
      filter: asRead(item).filter,
      set: { ...set, revision: item.revision + 1 },
    }));
    await databaseServer().inOneCommit(updates.length, (options) => updateEach(ItemModel, updates, options));
  }
}

/** A saved view names whom it lists. */
export async function followInViews({ organizationId, name, former }: NamesRecord): Promise<void> {
  for (const filter of NAMING_FILTERS) {
    const field = `filters.${filter}`;
    // A name may be one of several in a text.
    const views = await ViewModel.find({ organizationId, [field]: mongoose.trusted({ $exists: true }) }).lean();
    for (const { _id, filters, revision } of views) {
      const renamed = replaceValues(filters[filter], (value) => (former.includes(value) ? name : undefined));
      if (isDeepStrictEqual(renamed, filters[filter])) continue;
      await ViewModel.updateOne(
        { organizationId, _id, revision },
        { $set: { [field]: renamed }, $inc: { revision: 1 } },
      );
    }
  }
}

const ERASED_AT_ONCE = 500;

/** The history says by name to whom an item was assigned. A rare call, so it walks through that of the organization rather than having an index kept up for it. */
export async function eraseFromHistory({ organizationId, name, former }: NamesRecord): Promise<void> {
  const isFormer = (value: unknown) => typeof value === 'string' && former.includes(value);
  const records = HistoryModel.find({ organizationId }, { 'data.assignee': 1, 'data.changes.assignee': 1 })
    .sort({ workItemId: 1, revision: 1, _id: 1 })
    .lean<Pick<HistoryRecord, '_id' | 'data'>[]>()
    .cursor({ batchSize: ERASED_AT_ONCE });
  for await (const { _id, data } of records) {
    const erased = withoutNames(data ?? {}, isFormer, name);
    if (erased) await HistoryModel.updateOne({ organizationId, _id }, { $set: erased });
  }
}

/** @returns the fields to set; undefined if none of the names is in it */
function withoutNames(
  { assignee, changes }: Readonly<Record<string, unknown>>,
  isFormer: (value: unknown) => boolean,
  name: string,
): Record<string, string> | undefined {
  const { from, to } = ((changes as Record<string, unknown> | undefined)?.assignee ?? {}) as Record<string, unknown>;
  const erased = {
    ...(isFormer(assignee) && { 'data.assignee': name }),
    ...(isFormer(from) && { 'data.changes.assignee.from': name }),
    ...(isFormer(to) && { 'data.changes.assignee.to': name }),
  };
  return Object.keys(erased).length > 0 ? erased : undefined;
}
