import type { Webhook } from '@worktrack/contracts/events/webhook';
import { oneOf } from '@worktrack/runtime/database/one-of';
import type { Scope, TransactionalScope } from '@worktrack/runtime/database/scope';
import { databaseServer } from '@worktrack/runtime/database/server';
import { type Update, updateEach } from '@worktrack/runtime/database/writes/update-each';
import type { WriteSet } from '@worktrack/runtime/database/writes/write-set';
import mongoose from 'mongoose';
import { type SealedSecret, type WebhookDocument, WebhookModel } from './webhooks.model.ts';

type Write = Scope & { readonly writes: WriteSet };

/** By any dispatcher: their ids are UUIDs. */
const TAKEN = mongoose.trusted({ $gt: '', $lt: 'g' });

type New = Pick<
  WebhookDocument,
  | '_id'
  | 'url'
  | 'types'
  | 'projectId'
  | 'description'
  | 'enabled'
  | 'disabledReason'
  | 'maker'
  | 'permissions'
  | 'secrets'
  | 'cursor'
>;
/** What a user, or the service itself, can change in one. */
export type WebhookChange = Partial<
  Omit<New, '_id'> & Pick<WebhookDocument, 'failingSince' | 'dueAt' | 'notBefore' | 'unwell'>
>;

export function insertWebhook({ caller, writes }: Write, webhook: New): WebhookDocument {
  const now = new Date();
  const document: WebhookDocument = {
    ...webhook,
    organizationId: caller.organizationId,
    revision: 1,
    createdAt: now,
    updatedAt: now,
    failingSince: null,
    dueAt: null,
    notBefore: null,
    wakes: 0,
    unwell: false,
    holder: null,
  };
  writes.insert(WebhookModel, document);
  return document;
}

export async function countWebhooks({ caller: { organizationId }, tx }: TransactionalScope): Promise<number> {
  return WebhookModel.countDocuments({ organizationId }, { session: tx });
}

/** Newest first. To a limited caller those of no project do not exist. */
export async function webhooksOf({ caller, tx }: Scope): Promise<WebhookDocument[]> {
  const { organizationId, projects } = caller;
  const ofCaller = projects && { projectId: oneOf(projects) };
  return WebhookModel.find({ organizationId, ...ofCaller }, null, { sort: { _id: -1 }, session: tx }).lean();
}

export async function webhookById({ caller, tx }: Scope, id: string): Promise<WebhookDocument | undefined> {
  const { organizationId } = caller;
  const found = await WebhookModel.findOne({ organizationId, _id: id }, null, { session: tx }).lean();
  const isTheirs = !caller.projects || (found?.projectId && caller.projects.includes(found.projectId));
  return isTheirs ? (found ?? undefined) : undefined;
}

/** As it was read: if it has changed since, the call runs again. @returns it as changed */
export function changeWebhook(
  { caller: { organizationId }, writes }: Write,
  webhook: WebhookDocument,
  change: WebhookChange,
): WebhookDocument {
  const { _id, revision } = webhook;
  const set = { ...change, updatedAt: new Date() };
  writes.update(WebhookModel, { organizationId, _id, revision }, { inc: { revision: 1, wakes: 1 }, set });
  return { ...webhook, ...set, revision: revision + 1 };
}

/** Its deliveries are no longer reachable, and expire. */
export function removeWebhook({ caller: { organizationId }, writes }: Write, { _id, revision }: WebhookDocument): void {
  writes.remove(WebhookModel, { organizationId, _id, revision });
}

/** Nobody is sending to it, and nothing was to be sent, or retried, before what is queued now. */
export function isIdle({ unwell, holder, dueAt, notBefore }: WebhookDocument): boolean {
  return !unwell && holder === null && dueAt === null && (notBefore === null || notBefore.getTime() <= Date.now());
}

/** The deliveries of an idle one up to a place in the log have been made, and `holder` is the one to send them. @returns it as changed */
export function advanceAndTake(
  { caller: { organizationId }, writes }: Write,
  webhook: WebhookDocument,
  cursor: number,
  holder: string,
): WebhookDocument {
  const { _id, revision, cursor: before, wakes } = webhook;
  // Due, too: if this process ends, whoever frees it finds what to send.
  const set = { cursor, holder, dueAt: new Date() };
  const relied = { organizationId, _id, revision, cursor: before, holder: null, dueAt: null };
  writes.update(WebhookModel, relied, { inc: { wakes: 1 }, set });
  return { ...webhook, ...set, wakes: wakes + 1 };
}

/**
 * The deliveries up to a place in the log have been made.
 * @param queued whether any of them are to be sent: now, or once their subjects are no longer held, of which its next turn takes care
 */
export function advance(
  { caller: { organizationId }, writes }: Write,
  webhook: WebhookDocument,
  cursor: number,
  queued: 'none' | 'held' | 'due',
): void {
  const { _id, revision, cursor: before, dueAt, notBefore } = webhook;
  // With the cursor as it was read: of two that continue from the same place, one stores nothing.
  const relied = { organizationId, _id, revision, cursor: before };
  const inc = { wakes: 1 };
  if (queued === 'none') writes.update(WebhookModel, relied, { set: { cursor } });
  // With the turn that is to come: one that has just ended may have found that nothing is held.
  else if (queued === 'held' && dueAt) writes.update(WebhookModel, { ...relied, dueAt }, { inc, set: { cursor } });
  else writes.update(WebhookModel, relied, { inc, set: { cursor, dueAt: soonest(notBefore) } });
}

/** When an endpoint may be sent something, if it has to be left alone until `notBefore`. */
export function soonest(notBefore: Date | null): Date {
  return new Date(Math.max(Date.now(), notBefore?.getTime() ?? 0));
}

/** Those that events should be delivered to. */
export async function enabledWebhooks(scope: Scope): Promise<WebhookDocument[]> {
  return (await webhooksOf(scope)).filter(({ enabled }) => enabled);
}

/** How far the enabled webhook is that has come least far in the log, by organization; only for those that have one. */
export async function lowestCursors(organizationIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const lowest = new Map<string, number>();
  if (organizationIds.length === 0) return lowest;
  const all = await WebhookModel.find(
    { organizationId: oneOf(organizationIds) },
    { organizationId: 1, enabled: 1, cursor: 1 },
  ).lean();
  for (const { organizationId, enabled, cursor } of all) {
    if (enabled) lowest.set(organizationId, Math.min(cursor, lowest.get(organizationId) ?? cursor));
  }
  return lowest;
}

/** The bounds of a Date (ECMA-262, 21.4.1.1). A range that is bounded at both ends leaves out what has none. */
const EARLIEST = new Date(0);
const LATEST = new Date(8.64e15);

/** Where there is something to send before a time and nobody is sending, across all organizations, the longest due first. */
function freeWebhooks(unwell: boolean, before: Date, notOf: readonly string[] = []) {
  return WebhookModel.find({
    enabled: true,
    unwell,
    holder: null,
    dueAt: mongoose.trusted({ $gt: EARLIEST, $lt: before }),
    ...(notOf.length > 0 && { organizationId: mongoose.trusted({ $nin: notOf }) }),
  }).sort({ dueAt: 1 });
}

/** @param notOf organizations that already have their share */
export async function dueWebhooks(options: {
  readonly unwell: boolean;
  readonly now: Date;
  readonly limit: number;
  readonly notOf: readonly string[];
}): Promise<WebhookDocument[]> {
  const { unwell, now, limit, notOf } = options;
  return freeWebhooks(unwell, new Date(now.getTime() + 1), notOf)
    .limit(limit)
    .lean();
}

/** When there will be something to send, across all organizations. */
export async function nextDueAt(): Promise<Date | undefined> {
  const next = await Promise.all([true, false].map((unwell) => freeWebhooks(unwell, LATEST).limit(1).lean()));
  const times = next.flat().flatMap(({ dueAt }) => (dueAt ? [dueAt.getTime()] : []));
  return times.length > 0 ? new Date(Math.min(...times)) : undefined;
}

/** Those that have been due longest, then those that will be soonest, across all organizations. */
export async function firstDue(limit: number): Promise<WebhookDocument[]> {
  const found = await Promise.all([
    // As many as dispatchers have places for.
    WebhookModel.find({ holder: TAKEN }).lean(),
    ...[true, false].map((unwell) => freeWebhooks(unwell, LATEST).limit(limit).lean()),
  ]);
  const due = found.flat().filter(({ enabled, dueAt }) => enabled && dueAt !== null);
  return due.sort((a, b) => Number(a.dueAt) - Number(b.dueAt)).slice(0, limit);
}

/** @returns those that `holder` is now the one to send to */
export async function takeWebhooks(free: readonly WebhookDocument[], holder: string): Promise<WebhookDocument[]> {
  const updates = free.map(({ organizationId, _id, revision, wakes }) => ({
    // As it was read. Its holder may be this one already, by a commit whose reply was lost: nobody else would send to it any more.
    filter: { organizationId, _id, revision, wakes, holder: { $in: [null, holder] } },
    set: { holder },
  }));
  const areTaken = await updateInOneCommit(updates);
  return free.filter((_, index) => areTaken[index]);
}

function updateInOneCommit(updates: readonly Update[]): Promise<boolean[]> {
  return databaseServer().inOneCommit(updates.length, (options) => updateEach(WebhookModel, updates, options));
}

/** The state that a turn leaves behind. */
export type TurnEnd = Pick<WebhookDocument, 'dueAt' | 'notBefore' | 'unwell' | 'failingSince'>;

export interface Release {
  readonly webhook: WebhookDocument;
  readonly holder: string;
  readonly end: TurnEnd;
}

/**
 * Gives back what was taken. If something was queued since, it is due; and if somebody has changed it since, their change stands.
 * @returns when each is due
 */
export async function releaseWebhooks(releases: readonly Release[]): Promise<(Date | null)[]> {
  const dueAt = new Map<Release, Date | null>();
  for (const way of [0, 1, 2] as const) {
    const left = releases.filter((release) => !dueAt.has(release));
    const updates = left.map((release) => waysToRelease(release)[way]);
    const areReleased = await updateInOneCommit(updates);
    for (const [index, release] of left.entries()) {
      if (areReleased[index]) dueAt.set(release, updates[index]?.set.dueAt ?? null);
    }
  }
  return releases.map((release) => dueAt.get(release) ?? null);
}

/** If it is as it was read; if something was queued since; if it was changed. */
function waysToRelease({ webhook: { organizationId, _id, wakes, revision }, holder, end }: Release) {
  const own = { organizationId, _id, holder };
  const dueAt = soonest(end.notBefore);
  return [
    { filter: { ...own, revision, wakes }, set: { ...end, holder: null } },
    { filter: { ...own, revision }, set: { ...end, dueAt, holder: null } },
    // The pause that this turn found may be what was lifted, as a replay does.
    { filter: own, set: { dueAt: new Date(), holder: null } },
  ] as const;
}

/** Every dispatcher that is sending to something, across all organizations. */
export async function holders(): Promise<string[]> {
  const found = await WebhookModel.distinct('holder', { holder: TAKEN });
  return found.filter((holder) => holder !== null);
}

/** Frees what a dead dispatcher had taken. */
export async function freeTakenBy(holder: string): Promise<void> {
  const taken = await WebhookModel.find({ holder }, { organizationId: 1 }).lean();
  // An update for each: one for all would keep what it has locked while it waits for a transaction.
  await updateEach(
    WebhookModel,
    taken.map(({ organizationId, _id }) => ({ filter: { organizationId, _id, holder }, set: { holder: null } })),
  );
}

/** All secrets, across all organizations, in the order of `_id`. */
export async function secretsAfter(
  after: string,
  limit: number,
): Promise<Pick<WebhookDocument, '_id' | 'organizationId' | 'secrets' | 'revision'>[]> {
  return WebhookModel.find({ _id: mongoose.trusted({ $gt: after }) }, { organizationId: 1, secrets: 1, revision: 1 })
    .sort({ _id: 1 })
    .limit(limit)
    .lean();
}

/** @returns false if the webhook was changed meanwhile */
export async function replaceSecrets(
  { caller: { organizationId } }: Scope,
  { _id, revision }: Pick<WebhookDocument, '_id' | 'revision'>,
  secrets: readonly SealedSecret[],
): Promise<boolean> {
  const { matchedCount } = await WebhookModel.updateOne({ organizationId, _id, revision }, { $set: { secrets } });
  return matchedCount === 1;
}

export function recordOf(document: WebhookDocument): Webhook {
  const { _id, url, types, projectId, description, enabled, disabledReason, failingSince, maker, permissions } =
    document;
  return {
    id: _id,
    ...{ url, types, ...(projectId !== null && { projectId }), description, enabled },
    state: enabled ? (failingSince ? 'failing' : 'active') : 'disabled',
    disabledReason: enabled ? null : disabledReason,
    failingSince: failingSince?.toISOString() ?? null,
    seq: document.cursor,
    maker: { userId: maker.userId, keyId: maker.keyId },
    permissions,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
  };
}
