import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { updateEach } from '@worktrack/runtime/database/writes/update-each';
import type { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import mongoose, { type ClientSession } from 'mongoose';
import { HeadModel, type HeadRecord } from './log.model.ts';

/** Where these organizations' logs end; only for those that have one. */
export async function heads(organizationIds: readonly string[]): Promise<ReadonlyMap<string, HeadRecord>> {
  const records = await HeadModel.find({ _id: oneOf(organizationIds) }).lean();
  return new Map(records.map((record) => [record._id, record]));
}

/** Empty logs, for those that have none. */
export async function begin(organizationIds: readonly string[]): Promise<void> {
  const loggedAt = new Date();
  try {
    await HeadModel.insertMany(
      organizationIds.map((_id): HeadRecord => ({ _id, seq: 0, loggedAt })),
      { ordered: false, lean: true },
    );
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

/** The end of a log before and after it grew. */
export interface Move {
  readonly before: HeadRecord;
  readonly head: HeadRecord;
}

/** Each only if it is still where it was. @returns the organizations of those that were moved */
export async function moveHeads(moves: readonly Move[]): Promise<ReadonlySet<string>> {
  const areMoved = await updateEach(
    HeadModel,
    moves.map(({ before: { _id, seq }, head: { seq: end, loggedAt } }) => ({
      filter: { _id, seq },
      set: { seq: end, loggedAt, isQueued: null },
    })),
  );
  return new Set(moves.flatMap(({ before }, index) => (areMoved[index] ? [before._id] : [])));
}

/** The place of the last event; 0 before the first. */
export async function headOf(organizationId: string, tx?: ClientSession): Promise<number> {
  const head = await HeadModel.findById(organizationId, null, { session: tx }).lean();
  return head?.seq ?? 0;
}

/** Logs of which an event may not have been queued for each webhook yet, across all organizations. @param after the last one of the previous page */
export async function unqueuedHeads(after: string, limit: number): Promise<HeadRecord[]> {
  return HeadModel.find({ isQueued: null, _id: mongoose.trusted({ $gt: after }) })
    .sort({ _id: 1 })
    .limit(limit)
    .lean();
}

/** Each webhook is at the end of these logs, unless they have grown, or a webhook was set back, since they were read. */
export async function setQueued(read: readonly HeadRecord[]): Promise<void> {
  await updateEach(
    HeadModel,
    read.map(({ _id, seq, setBacks = null }) => ({ filter: { _id, seq, setBacks }, set: { isQueued: true } })),
  );
}

/** A webhook is set back in the log. */
export function setBack({ writes }: { readonly writes: WriteSet }, _id: string): void {
  writes.update(HeadModel, { _id }, { inc: { setBacks: 1 }, set: { isQueued: null } });
}
