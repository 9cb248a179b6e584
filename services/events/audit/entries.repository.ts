import { randomBytes, randomUUID } from 'node:crypto';
import type { AuditDraft, AuditEntry } from '@worktrack/contracts/audit/entry';
import { chainedHash } from '@worktrack/runtime/audit/chain';
import { inOrder } from '@worktrack/runtime/database/in-order';
import { oneOf } from '@worktrack/runtime/database/one-of';
import { databaseServer } from '@worktrack/runtime/database/server';
import mongoose, { type PipelineStage } from 'mongoose';
import { EntryModel, type EntryRecord } from './entries.model.ts';
import { SignedHeadModel, UnsignedModel } from './heads.model.ts';

/** Where the log of an organization ends. */
export interface End {
  readonly seq: number;
  readonly hash: string;
  readonly enteredAt: Date;
}

export interface NewEntry extends AuditDraft {
  readonly organizationId: string;
}

const NEWEST = { field: 'enteredAt', direction: -1 } as const;
const SALT_BYTES = 16;
/** Fields of users in `changes`. */
const PERSONAL: ReadonlySet<string> = new Set(['name', 'email']);

/** Which of these are entered already. */
export async function entered(ids: readonly string[]): Promise<ReadonlySet<string>> {
  const records = await EntryModel.find({ _id: oneOf(ids) }, { _id: 1 }).lean();
  return new Set(records.map(({ _id }) => _id));
}

/** After its retention has removed all entries, a log continues from its last head. */
export async function endOf(organizationId: string): Promise<End> {
  const [last] = await inOrder<EntryRecord>(EntryModel, {
    filter: { organizationId },
    order: NEWEST,
    limit: 1,
    present: [],
  });
  if (last) return last;
  const [head] = await inOrder<{ seq: number; hash: string; at: Date }>(SignedHeadModel, {
    filter: { organizationId },
    order: { field: 'at', direction: -1 },
    limit: 1,
    present: [],
  });
  return head ? { seq: head.seq, hash: head.hash, enteredAt: head.at } : { seq: 0, hash: '', enteredAt: new Date(0) };
}

/** Gives entries the places after an end, each with the hash of everything up to it. */
export function chain(after: End, entries: readonly NewEntry[]): EntryRecord[] {
  let { seq, hash } = after;
  let enteredAtMs = after.enteredAt.getTime();
  return entries.map(({ organizationId, ...draft }) => {
    seq += 1;
    // Time in the log goes forwards, whatever the replicas' clocks say.
    enteredAtMs = Math.max(Date.now(), enteredAtMs + 1);
    const entry = { seq, ...draft, salts: saltsOf(draft) };
    hash = chainedHash(hash, entry);
    const { id, action, actor, targets, at } = draft;
    return {
      ...{ _id: id, organizationId, seq, hash, action },
      data: JSON.stringify(entry),
      actorIds: [...new Set([actor.id, actor.userId].filter((each) => each !== null))],
      targetIds: targets.map((target) => target.id),
      at: new Date(at),
      enteredAt: new Date(enteredAtMs),
    };
  });
}

/** A salt for every text that tells who somebody is: without one, a hash of a name is found by trying names. */
function saltsOf({ actor, targets, context, changes }: AuditDraft): Record<string, string> {
  const values: [path: string, value: unknown][] = [
    ['actor.name', actor.name],
    ['context.address', context.address],
    ['context.userAgent', context.userAgent],
    ...targets.map(({ name }, index): [string, unknown] => [`targets.${index}.name`, name]),
    ...changes.flatMap(({ field, old, new: now }, index): [string, unknown][] =>
      PERSONAL.has(field)
        ? [
            [`changes.${index}.old`, old],
            [`changes.${index}.new`, now],
          ]
        : [],
    ),
  ];
  const texts = values.filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts.map(([path]) => [path, randomBytes(SALT_BYTES).toString('hex')]));
}

/** In this order, each once the one before it is stored, up to one whose id or place is taken. */
export async function insertEntries(records: readonly EntryRecord[]): Promise<void> {
  await EntryModel.insertMany(records, { ordered: true, lean: true });
  const last = records.at(-1);
  if (last) await databaseServer().confirmInsert(EntryModel, last._id);
}

/** Before the entries: whoever dies in between has only asked for one head too many. */
export async function markUnsigned(organizationId: string): Promise<void> {
  await UnsignedModel.updateOne({ _id: organizationId }, { $set: { mark: randomUUID() } }, { upsert: true });
}

export interface EntryFilter {
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** How much earlier or later than it happened an entry may have been entered: clocks differ, and the broker may have been away. */
const EARLY_MS = 5 * 60_000;
const LATE_MS = 24 * 60 * 60_000;

/** Newest first. */
export async function newestEntries(
  organizationId: string,
  { target, actor, action, from, to }: EntryFilter,
  {
    after,
    limit,
  }: { readonly after?: { readonly value: Date; readonly id: string } | undefined; readonly limit: number },
): Promise<EntryRecord[]> {
  // What the fewest entries have leads; the others are checked on the way.
  const conditions = Object.entries({ targetIds: target, actorIds: actor, action }).filter(([, value]) => value);
  const [first, ...others] = conditions;
  const moment = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
  const checks = { ...Object.fromEntries(others), ...(Object.keys(moment).length > 0 && { at: moment }) };
  const range = {
    ...(from && { $gte: new Date(from.getTime() - EARLY_MS) }),
    ...(to && { $lt: new Date(to.getTime() + LATE_MS) }),
  };
  return inOrder<EntryRecord>(EntryModel, {
    filter: { organizationId, ...(first && { [first[0]]: first[1] }) },
    order: NEWEST,
    ...(Object.keys(range).length > 0 && { range }),
    after,
    choose: Object.keys(checks).length > 0 ? ([{ $match: checks }] as PipelineStage[]) : [],
    limit,
    present: [],
  });
}

/** The place of the last entry of what happened before this moment; 0 if there is none. */
export async function lastBefore(organizationId: string, moment: Date): Promise<number> {
  const [last] = await newestEntries(organizationId, { to: moment }, { limit: 1 });
  return last?.seq ?? 0;
}

/** A place that everything which happened from this moment on comes after; 0 if there is none. */
export async function lastEnteredBefore(organizationId: string, moment: Date): Promise<number> {
  const [last] = await inOrder<EntryRecord>(EntryModel, {
    filter: { organizationId },
    order: NEWEST,
    range: { $lt: new Date(moment.getTime() - EARLY_MS) },
    limit: 1,
    present: [],
  });
  return last?.seq ?? 0;
}

/** In order, those at the `limit` places after this one, or from the beginning of the log if that is later. */
export async function entriesAfter(organizationId: string, after: number, limit: number): Promise<EntryRecord[]> {
  const found = await inPlaces(organizationId, after, limit);
  if (found.length > 0) return found;
  const { seq: end } = await endOf(organizationId);
  // Whoever follows the log is here most of the time.
  if (end <= after) return [];
  const beyond = { field: 'seq', from: after + limit + 1, upTo: end };
  const oldest = await databaseServer().lowest(EntryModel, { organizationId }, beyond);
  return oldest !== undefined && oldest > after ? inPlaces(organizationId, oldest - 1, limit) : [];
}

async function inPlaces(organizationId: string, after: number, limit: number): Promise<EntryRecord[]> {
  const seq = mongoose.trusted({ $gt: after, $lte: after + limit });
  return EntryModel.find({ organizationId, seq }).sort({ seq: 1 }).lean();
}

/** As it is shown. */
export function entryOf({ data, hash }: Pick<EntryRecord, 'data' | 'hash'>): AuditEntry {
  const { salts, ...entry } = JSON.parse(data) as Omit<AuditEntry, 'hash'>;
  return { ...entry, hash, salts };
}
